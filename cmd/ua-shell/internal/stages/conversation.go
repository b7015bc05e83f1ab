package stages

import (
	"strconv"
	"syscall"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/gateway"
	"ua/internal/common/journal"
	"ua/internal/common/stage"
)

// Put appends an event to the journal, which returns it by Kept. While an interrupted
// answer ends, the event waits: the journal then has what was said of that answer before
// what came next, and so has the next ua-think.
func (r *Ring) Put(line []byte) {
	if r.ending {
		r.held = append(r.held, line)
		return
	}
	r.append(line)
}

// append writes an event to the journal, whose stage is started if it is not running.
func (r *Ring) append(line []byte) {
	if !r.keeper.alive() {
		if err := r.startKeeper(); err != nil {
			r.Lost("ua-journal", err.Error())
			return
		}
	}
	if event.Type(line) == "turn" {
		r.asked++
	}
	r.keeper.in.Put(line)
}

// startKeeper starts the journal's writer.
func (r *Ring) startKeeper() error {
	c, err := stage.Builtin("ua-journal", "append", "--tee", "--final", r.Run.Journal())
	if err != nil {
		return err
	}
	c.Env = config.WithoutKeys(c.Env)
	r.keeper, err = start(c, r.Post, r.kept, r.says("ua-journal"), r.end)
	return err
}

// end is called when a stage has ended.
func (r *Ring) end(s *member) {
	switch {
	case r.closing:
	case s == r.think && r.ending:
		r.release()
	default:
		r.Lost(s.stage.Name(), s.failure())
	}
}

// release appends the events that were held.
func (r *Ring) release() {
	held := r.held
	r.held, r.ending = nil, false
	for _, line := range held {
		r.append(line)
	}
}

// kept passes on what the journal has kept, to ua-think and to the caller.
func (r *Ring) kept(line []byte) {
	r.count(line)
	typ := event.Type(line)
	switch {
	case typ == "turn":
		r.asked--
		if r.cancelled > 0 {
			r.cancelled--
		} else if err := r.ask(line); err != nil {
			r.Lost("ua-think", err.Error())
			return
		}
	case journal.Keeps(typ) && r.think.alive() && !r.ending:
		r.think.in.Put(line)
	}
	r.Kept(line)
}

// Close ends the stages. last is the journal's last line.
func (r *Ring) Close(last []byte) {
	r.closing = true
	for _, g := range []*gateway.Gateway{r.Gateway, r.judge} {
		if g != nil {
			g.Close(r.Run.Dir)
		}
	}
	r.think.signal(syscall.SIGTERM)
	r.gate.signal(syscall.SIGTERM)
	r.release()
	if !r.keeper.alive() {
		return
	}
	r.keeper.in.Put(last)
	r.keeper.in.End()
	// A journal that does not end must not keep the session from ending.
	select {
	case <-r.keeper.stage.Done():
	case <-time.After(5 * time.Second):
		r.keeper.signal(syscall.SIGKILL)
	}
}

// answered passes on what the gateway reports: who asked, what the model proposed, and the cost.
func (r *Ring) answered(line []byte) {
	r.share()
	r.heard(line)
}

// promptRoom is how many tokens of a request are left for the prompt and the tools,
// besides the conversation.
const promptRoom = 4096

// ask has ua-think ask the model. A new ua-think first gets the conversation, as
// `ua-journal read` prints it; so does one whose conversation has outgrown its share.
func (r *Ring) ask(turn []byte) (err error) {
	if !r.think.alive() {
		if r.think, err = r.startThink(); err != nil {
			return err
		}
		r.cut = -1
	}
	r.cut, err = journal.Recall(r.Run.Journal(), r.Settings.ContextTokens, r.cut, r.think.in.Put,
		func(err error) { r.Said("ua-journal", err.Error()) }, nil)
	r.think.in.Put(turn)
	return err
}

// startThink starts ua-think, or the configured line in its place.
func (r *Ring) startThink() (*member, error) {
	args := append([]string{"--quiet", "--context-tokens", strconv.Itoa(r.Settings.ContextTokens +
		promptRoom)}, r.ThinkArgs...)
	if r.Effort != "" {
		args = append(args, "--effort", r.Effort)
	}
	c, err := stage.Builtin("ua-think", args...)
	if r.Settings.Think != "" {
		c, err = stage.Custom("ua-think", r.Settings.Think), nil
	}
	if err != nil {
		return nil, err
	}
	return start(c, r.Post, r.heard, r.says("ua-think"), r.end)
}

// heard takes what ua-think says to the journal. Events that only other stages may write
// are dropped: a verdict is the gate's, whatever runs in ua-think's place.
func (r *Ring) heard(line []byte) {
	switch event.Type(line) {
	case "ask", "answer", "verdict", "tool_result", "turn", "instruction", "system", "run":
		return
	}
	r.append(line)
}

// Interrupt cuts off the answer that is being streamed. What is put from now on waits
// until ua-think has ended.
func (r *Ring) Interrupt() {
	r.cancelled = r.asked
	r.think.signal(syscall.SIGINT)
	if r.think.alive() && !r.ending {
		r.ending = true
		r.think.in.End()
		old := r.think
		// A ua-think that does not end would keep the next question waiting.
		time.AfterFunc(3*time.Second, func() { r.Post(func() { old.signal(syscall.SIGKILL) }) })
	}
}
