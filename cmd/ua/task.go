package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/prompt"
	"ua/internal/common/run"
)

// A task is what the user asks for.
type task struct {
	text        string
	attachments [][]byte // JSON objects
	resume      run.Run  // the run that goes on, if any
}

// readTask takes the task from the operands or, when there are none, from
// stdin. With operands stdin is read only for "-".
func readTask(env *prog.Env, o *options) (t task, err error) {
	words := o.words
	if o.resume {
		if len(words) == 0 {
			return t, prog.Errorf(prog.No, "resume: which run?").Hintf("ua-journal ls lists them; last is the newest")
		}
		if t.resume, err = run.Find(words[0]); err != nil {
			return t, err
		}
		words = words[1:]
	}
	t.text = strings.TrimSpace(strings.Join(words, " "))
	switch {
	case o.stdin:
		err = t.attachStdin(env)
	case len(words) == 0 && !o.resume:
		t.text, err = taskFromStdin(env)
	}
	if err == nil && t.text == "" && !o.resume {
		err = prog.Errorf(prog.No, "the task is empty").Hintf(`ua "what is big in /var?"`)
	}
	for _, path := range o.attach {
		if err == nil {
			err = t.attachFile(path)
		}
	}
	return t, err
}

func taskFromStdin(env *prog.Env) (string, error) {
	if term.IsTerminal(int(env.Stdin.Fd())) {
		return "", prog.Errorf(prog.No, "no task").Hintf(`ua "what is big in /var?"; --help lists the options`)
	}
	text, err := io.ReadAll(env.Stdin)
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	if !utf8.Valid(text) {
		return "", prog.Errorf(prog.Trouble, "stdin: the task is not UTF-8 text").Hintf(`attach data with: ua "task" - < FILE`)
	}
	return strings.TrimSpace(string(text)), nil
}

func (t *task) attachStdin(env *prog.Env) error {
	data, err := io.ReadAll(env.Stdin)
	if err != nil {
		return prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	return t.attach("stdin", data)
}

func (t *task) attachFile(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%q: %v", path, err.(*os.PathError).Err)
	}
	return t.attach(filepath.Base(path), data)
}

// maxAttachment is the most that one attachment may hold: what base64 makes of
// it has to fit into one line.
const maxAttachment = 45 << 20

// attach adds data as text or as one of the media that models take.
func (t *task) attach(name string, data []byte) error {
	if len(data) > maxAttachment {
		return prog.Errorf(prog.Trouble, "%q: %d bytes; an attachment may have %d", name, len(data), maxAttachment)
	}
	b := append(event.AppendString([]byte(`{"name":`), name), `,"media_type":`...)
	kind := mediaType(data)
	switch {
	case kind != "":
		b = append(event.AppendString(b, kind), `,"data":"`...)
		b = append(base64.StdEncoding.AppendEncode(b, data), `"}`...)
	case utf8.Valid(data) && !bytes.Contains(data, []byte{0}):
		b = append(event.AppendString(append(b, `"text/plain","text":`...), data), '}')
	default:
		return prog.Errorf(prog.Trouble, "%q: neither text nor PNG, JPEG, GIF, WEBP, PDF or WAV", name)
	}
	t.attachments = append(t.attachments, b)
	return nil
}

// mediaType tells media by their first bytes; "" for anything else.
func mediaType(data []byte) string {
	for _, m := range [...]struct{ kind, magic, at8 string }{
		{"image/png", "\x89PNG\r\n\x1a\n", ""},
		{"image/jpeg", "\xff\xd8\xff", ""},
		{"image/gif", "GIF8", ""},
		{"image/webp", "RIFF", "WEBP"},
		{"audio/wav", "RIFF", "WAVE"},
		{"application/pdf", "%PDF-", ""},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) && (m.at8 == "" || len(data) > 12 && string(data[8:12]) == m.at8) {
			return m.kind
		}
	}
	return ""
}

// instruction is the event of what the user asks.
func (t *task) instruction() []byte {
	e := event.New("instruction").Str("text", t.text)
	if len(t.attachments) > 0 {
		e.Raw("attachments", append(append([]byte{'['}, bytes.Join(t.attachments, []byte{','})...), ']'))
	}
	return e.Line()
}

// start is the events that begin a run: run, system, instruction.
func start(o *options, t *task, id, traceparent string) [][]byte {
	cwd, _ := os.Getwd()
	e := event.New("run").Str("id", id)
	if parent := os.Getenv("UA_RUN_DIR"); parent != "" {
		e.Str("parent", filepath.Base(parent))
	}
	line := e.Int("depth", int64(depth())).Str("task", t.text).OptStr("model", o.model).Str("cwd", cwd).
		Int("pid", int64(os.Getpid())).Str("traceparent", traceparent).Str("version", prog.Version()).Line()
	return [][]byte{line, prompt.Event(), t.instruction()}
}

// traceparent names this run's span in the caller's trace or a new one (W3C
// Trace Context).
func traceparent() string {
	var b [24]byte
	rand.Read(b[:])
	trace := hex.EncodeToString(b[:16])
	if parts := strings.Split(os.Getenv("TRACEPARENT"), "-"); len(parts) == 4 && len(parts[1]) == 32 {
		trace = parts[1]
	}
	return fmt.Sprintf("00-%s-%s-01", trace, hex.EncodeToString(b[16:]))
}

// noticeUnread says that a pipe on stdin holds bytes that nobody asked for.
func noticeUnread(env *prog.Env, o *options) {
	if o.stdin || len(o.words) == 0 {
		return
	}
	info, err := env.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return
	}
	if unread(env.Stdin) {
		env.Warnf("stdin was left unread; - after the task attaches it")
	}
}
