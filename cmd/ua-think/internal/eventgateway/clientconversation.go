package eventgateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/session"
	"ua/internal/common/config"
	"ua/internal/common/descriptor"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A talk is one conversation.
type talk struct {
	*Service
	conn    net.Conn
	command string // that asks, "" for none
	in      *Meter
	out     *answerWriter
	session *session.Session
}

// serve admits a client and answers its conversation.
func (s *Service) serve(ctx context.Context, conn *Conn) {
	t := &talk{Service: s, conn: conn.Conn}
	t.out = &answerWriter{conn: conn, log: s.Log, record: Record{PID: conn.Peer.PID,
		Depth: conn.Peer.Depth()}}
	conn.SetReadDeadline(time.Now().Add(helloTime))
	t.in = s.Metered(conn, maxTalk)
	defer t.in.Forget()
	lines := event.NewReader(t.in)
	command, err := t.admit(lines)
	if errors.Is(err, errForeign) {
		t.out.refused("form")
		return // it would not understand an answer
	}
	t.session = &session.Session{Config: s.Config, Out: event.NewOutbox(t.out), Budget: s.Budget}
	defer t.session.Out.End()
	if err != nil {
		t.refuse("token", err)
		return
	}
	if !conn.Place.Hold(ctx, command) {
		return
	}
	t.command = command
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if reason, err := t.begin(ctx, lines); err != nil {
		t.refuse(reason, err)
		return
	}
	conn.SetReadDeadline(time.Time{})
	t.end(t.follow(ctx, cancel, lines))
}

// admit reads the first line, which has the token.
func (t *talk) admit(lines *event.Reader) (command string, err error) {
	line, err := lines.Next()
	if err != nil || event.Type(line) != "hello" || len(line) > maxHello {
		return "", errForeign
	}
	command, ok := t.Known(event.Str(line, "token"))
	if !ok {
		return "", prog.Errorf(prog.Trouble, "the token in UA_GATEWAY_TOKEN is not one of a "+
			"command that runs now")
	}
	return command, nil
}

// errForeign is the error of what is no conversation.
var errForeign = errors.New("no conversation")

// begin reads the second line, which has the options, and makes what answers.
func (t *talk) begin(ctx context.Context, lines *event.Reader) (reason string, err error) {
	if d := t.out.record.Depth; t.MaxDepth > 0 && d > t.MaxDepth {
		return "depth", prog.Errorf(prog.No, "an agent at depth %d may not ask: the limit is %d",
			d, t.MaxDepth)
	}
	if t.Log.Broken() {
		return "log", prog.Errorf(prog.TryLater, "can't write the log, so nothing is answered")
	}
	line, err := lines.Next()
	var wish session.Wish
	if err == nil {
		err = json.Unmarshal(line, &wish)
	}
	if err != nil || wish.Type != "options" {
		return "form", prog.Errorf(prog.Trouble, "the second line has no options")
	}
	t.session.Options, t.session.Command = wish.Options, t.command
	var models []string
	if t.Above != nil {
		above := *t.Above
		above.Model = cmp.Or(wish.Model, above.Model)
		if err := t.session.AskAbove(ctx, above); err != nil {
			return "network", err
		}
		models = t.session.Offered()
	} else {
		m, err := t.model(wish.Model)
		if err != nil {
			return "model", err
		}
		t.session.Options = t.within(wish.Options)
		t.session.Models, t.session.Client = []provider.Model{m}, t.Client.Another()
		t.session.Begin()
		models = append([]string{t.Model.Spec()}, t.Allow...)
	}
	text, _ := json.Marshal(models) // strings always encode
	t.out.add(event.New("ready").Raw("models", text).Line())
	return "", nil
}

// model returns the model that a client wishes for, if it may be asked.
func (t *talk) model(wish string) (provider.Model, error) {
	if wish == "" {
		return t.Model, nil
	}
	m, err := provider.Resolve(wish, t.Config)
	if err != nil || m.Base == "" || !t.Allowed(m) {
		return m, prog.Errorf(prog.No, "commands of this run may not ask %q", wish).
			Hintf("they may ask %s; [ua] models in config.toml allows others",
				strings.Join(append([]string{t.Model.Spec()}, t.Allow...), ", "))
	}
	if m.Spec() == t.Model.Spec() {
		return t.Model, nil
	}
	return m.Unlock(t.Config)
}

// within returns the options of a client, within those of this service.
func (s *Service) within(o session.Options) session.Options {
	most := s.Options
	least := func(wish, most int) int {
		if wish <= 0 || most > 0 && wish > most {
			return most
		}
		return wish
	}
	o.MaxTokens = least(o.MaxTokens, most.MaxTokens)
	o.ContextTokens = least(o.ContextTokens, most.ContextTokens)
	o.Retries, o.MaxWait = min(max(o.Retries, 0), most.Retries), min(max(o.MaxWait, 0), most.MaxWait)
	efforts := config.Efforts()
	if at := slices.Index(efforts, o.Effort); at < 0 ||
		most.Effort != "" && at > slices.Index(efforts, most.Effort) {
		o.Effort = most.Effort
	}
	o.Answer, o.Quiet = most.Answer, true
	return o
}

// errGone ends one whose client has gone.
var errGone = errors.New("gone")

// follow takes the lines of the conversation until its end. A client that goes, or breaks off,
// is noticed while a model answers.
func (t *talk) follow(
	ctx context.Context, cancel context.CancelCauseFunc, lines *event.Reader,
) error {
	t.in.broken = func() { cancel(errGone) }
	go func() {
		socket, is := t.conn.(syscall.Conn) // that of TLS tells by itself
		for is && ctx.Err() == nil {
			if descriptor.HungUpNow(socket) {
				cancel(errGone)
			}
			time.Sleep(goneEvery)
		}
	}()
	stop := func(line []byte) bool {
		if event.Type(line) != "stop" {
			return false
		}
		cancel(prog.Exit(128 + int(syscall.SIGTERM)))
		return true
	}
	if err := t.session.Follow(ctx, lines, event.NewWriter(t.out), stop, t.take); err != nil {
		return err
	}
	return t.finish(ctx)
}

// take takes one line: a turn asks.
func (t *talk) take(ctx context.Context, line string) error {
	switch gjson.Get(line, "type").Str {
	case "run":
		t.out.begin(gjson.Get(line, "id").Str)
		t.in.Forget()
	case "turn":
		if err := t.may(); err != nil {
			return err
		}
	}
	return t.session.Take(ctx, line)
}

// finish asks about what is left at the end of the conversation.
func (t *talk) finish(ctx context.Context) error {
	if err := t.may(); err != nil {
		return err
	}
	return t.session.Finish(ctx)
}

// may is called before each question, and says why it may not be asked.
func (t *talk) may() error {
	t.out.start()
	switch {
	case t.Log.Broken():
		return prog.Errorf(prog.TryLater, "can't write the log, so nothing is answered")
	case !t.lives(t.command):
		return prog.Errorf(prog.Trouble, "the command that asks has ended")
	}
	return nil
}

// refuse tells a client, and the log, that it is not answered.
func (t *talk) refuse(reason string, err error) {
	t.out.refused(reason)
	t.end(err)
}

// end writes the last lines: the error that is not told yet, and the status.
func (t *talk) end(err error) {
	err = t.session.End(err)
	last := event.New("end")
	switch exit := prog.Exit(0); {
	case errors.As(err, &exit):
		last.Int("status", int64(exit))
	case err != nil:
		f := failure.From(err)
		if !t.session.Told() {
			t.session.Out.Put(f.Event())
		}
		last.Int("status", int64(f.Status)).Str("message", f.Msg).OptStr("hint", f.Hint)
	default:
		last.Int("status", 0)
	}
	t.session.Out.Close(WriteTime)
	t.out.add(last.Line())
}
