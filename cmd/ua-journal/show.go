package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// showVerb prints a run for a person to read.
func showVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	output := fs.Bool("output", false, "")
	var n int
	prog.Number(fs, &n, "n", 0, 1, 0)
	follow := fs.Bool("f", false, "")
	fs.BoolVar(follow, "follow", false, "")
	j, size, err := parseAndOpen(env, fs, args)
	if err != nil {
		return err
	}
	defer j.Close()
	if n == 0 && !*follow {
		return show(env, j, size, env.Stdout, style.For(env.Stdout), *output)
	}
	if n == 0 {
		n = math.MaxInt
	}
	s := newView(env.Stdout, style.For(env.Stdout), *output)
	err = printTail(j, size, n, *follow, s, env.Stdout)
	s.flush()
	return errors.Join(err, s.now.Flush())
}

// show prints the first size bytes of a run's journal, with all output or its last lines.
func show(env *prog.Env, j *os.File, size int64, to io.Writer, paint style.Style,
	output bool) error {
	s := newView(to, paint, output)
	err := journal.Each(j, size, warn(env, j.Name()), func(line []byte, _ int64) error {
		s.event(line)
		return nil
	})
	s.flush()
	if err == nil && !s.ended {
		s.footer(j.Name())
	}
	return errors.Join(err, s.now.Flush())
}

// shortOutput is how many lines of a command's output are shown, unless all are asked
// for.
const shortOutput = 6

// A view prints events for a person. In a journal the commands of a turn come before the
// response with the words about them, so they are held back until that comes, or until it is
// late.
type view struct {
	now    *bufio.Writer
	file   *os.File // what now writes to, nil for none
	held   bytes.Buffer
	late   bool // the response: what comes before it is no longer held
	paint  style.Style
	output bool
	calls  map[string]*call // that have no result yet
	ended  bool
	line   []byte // the start of one that was not written whole
}

// newView returns a view that prints to a file.
func newView(to io.Writer, paint style.Style, output bool) *view {
	file, _ := to.(*os.File)
	return &view{now: bufio.NewWriter(to), file: file, paint: paint, output: output,
		calls: map[string]*call{}}
}

// Write shows the lines of a journal as they come.
func (s *view) Write(p []byte) (int, error) {
	s.line = append(s.line, p...)
	for {
		line, rest, whole := bytes.Cut(s.line, []byte{'\n'})
		if !whole {
			return len(p), s.now.Flush()
		}
		s.event(line)
		s.line = rest
	}
}

// say prints a line. hold prints it after the words of the turn's response.
func (s *view) say(format string, a ...any) { s.print(s.now, format, a...) }
func (s *view) hold(format string, a ...any) {
	if s.late {
		s.say(format, a...)
		return
	}
	s.print(&s.held, format, a...)
}

// print prints lines, which are folded at words if a terminal shows them.
func (s *view) print(to io.Writer, format string, a ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, a...), "\n") {
		if s.file != nil {
			line = style.Fold(s.file, line)
		}
		fmt.Fprintln(to, line)
	}
}

// flush prints what was held back.
func (s *view) flush() {
	s.now.Write(s.held.Bytes())
	s.held.Reset()
	s.late = false
}

// idle shows the commands of a turn, one of which goes on, when nothing has come for a while.
func (s *view) idle() error {
	if s.held.Len() > 0 {
		s.flush()
		s.late = true
	}
	return s.now.Flush()
}

// event prints one event. Types without a case are not shown.
func (s *view) event(line []byte) {
	str := func(path string) string { return event.Str(line, path) }
	s.ended = false
	switch event.Type(line) {
	// A turn without a response, as one that was interrupted, ends here.
	case "instruction", "message", "summary", "turn":
		s.flush()
	}
	switch event.Type(line) {
	case "run":
		s.say("%s", s.paint.Dim(strings.TrimSpace(fmt.Sprintf("run %s  %s  %s",
			style.FirstLine(str("id"), 100), when(str("ts")), style.FirstLine(str("model"), 100)))))
	case "instruction", "message":
		s.say("%s", s.paint.Bold("# "+style.Printable(strings.TrimSpace(str("text")))))
	case "shell_command":
		s.say("$ %s", style.Printable(str("command")))
	case "checkpoint":
		s.say("%s", s.paint.Dim(style.Mark("── checkpoint: ")+style.FirstLine(str("text"), 200)))
	case "tool_call":
		c := &call{command: str("input.command"), tool: str("name")}
		if c.command == "" {
			c.command = c.tool + " " + style.FirstLine(gjson.GetBytes(line, "input").Raw, 200)
		}
		s.calls[str("id")] = c
	case "proposal": // a call of another agent (ua-record(1)); subagents have runs of their own
		if in := str("input"); gjson.GetBytes(line, "depth").Int() == 0 {
			s.say("%s %s", s.paint.Cyan(style.Mark("❯")), style.Printable(cmp.Or(
				event.Str([]byte(in), "command"), event.Str([]byte(in), "cmd"),
				style.FirstLine(str("name")+" "+in, 200))))
		}
	case "verdict":
		s.verdict(line)
	case "tool_result":
		s.result(line)
	case "response":
		s.response(line)
	case "error":
		s.say("%s %s: %s", s.paint.Red(style.Mark("✗")), style.FirstLine(str("stage"), 40),
			style.FirstLine(str("message"), 400))
	case "guarded":
		s.say("%s %s", s.paint.Yellow(style.Mark("⚠")), style.FirstLine(journal.Guarded(line), 600))
	case "subagent":
		s.say("[%s] %s %s", style.FirstLine(str("id"), 40), style.FirstLine(str("agent"), 40),
			style.FirstLine(str("state"), 40))
	case "summary":
		s.summary(line)
	}
}

// when returns the time of an event as people write it.
func when(ts string) string {
	t, err := time.Parse(time.RFC3339, ts)
	if err != nil {
		return ""
	}
	return t.Local().Format("Jan _2 15:04:05")
}

// verdict shows a command, its risk and, if it was not allowed, the reason.
func (s *view) verdict(line []byte) {
	c := s.calls[event.Str(line, "call_id")]
	if c == nil {
		c = &call{}
	}
	if c.judged(line); c.risk == "" {
		return // another agent's, with which the result is shown
	}
	s.hold("%s %s %s", s.paint.Cyan(style.Mark("❯")), style.Printable(strings.TrimSpace(c.command)),
		s.paint.Risk(c.risk))
	// An allowed command needs no reason.
	if c.decision != "allow" {
		s.hold("%s %s", s.paint.Yellow(style.Mark("⚠")),
			style.FirstLine(cmp.Or(event.Str(line, "reason"), "denied"), 400))
	}
}

// result shows the output of a command and how it ended.
func (s *view) result(line []byte) {
	id := event.Str(line, "call_id")
	c := s.calls[id]
	if c == nil {
		c = &call{}
	}
	delete(s.calls, id)
	if c.risk == "" { // no gate has judged it
		s.hold("%s %s", s.paint.Cyan(style.Mark("❯")),
			style.Printable(strings.TrimSpace(c.command)))
	}
	c.ended(line)
	if c.status == "denied" && !s.output && c.risk != "" {
		return // the verdict has said it
	}
	s.printed(event.Str(line, "output"))
	end := c.status
	if c.exitCode != "" {
		end = "exit " + c.exitCode
	}
	took := style.Seconds(time.Duration(gjson.GetBytes(line, "duration_ms").
		Int()) * time.Millisecond)
	s.hold("%s", s.paint.Dim(fmt.Sprintf("  %s  %s  %d bytes", style.FirstLine(end, 40), took,
		c.output)))
}

// printed shows the output of a command, or its last lines.
func (s *view) printed(output string) {
	lines := strings.Split(strings.Trim(style.Printable(unframed(output)), "\n"), "\n")
	if n := len(lines) - shortOutput; n > 0 && !s.output {
		s.hold("%s", s.paint.Dim(fmt.Sprintf(style.Mark("  … %s before"),
			style.Plural(int64(n), "line"))))
		lines = lines[n:]
	}
	for _, line := range lines {
		if line != "" {
			s.hold("  %s", line)
		}
	}
}

// unframed returns output without the frame in which ua-exec shows it to a model. The
// marks of the frame occur nowhere else. Notes of ua-exec follow after it.
func unframed(output string) string {
	text, ok := strings.CutPrefix(output, "<terminal_output>\n")
	if !ok {
		return output
	}
	text, notes, _ := strings.Cut(text, "</terminal_output>")
	return strings.TrimRight(text, "\n") + notes
}

// response shows the words of a turn, and then its commands.
func (s *view) response(line []byte) {
	if text, _ := event.ResponseText(line); strings.TrimSpace(text) != "" {
		m := style.NewMarkdown(s.paint)
		s.say("%s", m.Write(style.Printable(strings.TrimRight(text, "\n")))+m.End())
	}
	s.flush()
}

// summary prints the line that ends a run.
func (s *view) summary(ev []byte) {
	get := func(name string) gjson.Result { return gjson.GetBytes(ev, name) }
	if message := event.Str(ev, "message"); message != "" {
		s.say("%s %s: %s", s.paint.Red(style.Mark("✗")),
			style.FirstLine(event.Str(ev, "stage"), 40), style.FirstLine(message, 400))
	}
	took := style.Seconds(time.Duration(get("duration_ms").Int()) * time.Millisecond)
	exit := int(get("exit_code").Int())
	line := fmt.Sprintf(style.Mark("── %s (exit %d)  %s↑ %s↓ %s %s %s"),
		run.EndState(exit), exit,
		style.Count(get("tokens_in").Int()), style.Count(get("tokens_out").Int()),
		style.Plural(get("commands").Int(), "cmd"), took, style.Dollars(get("cost_usd").Float()))
	s.say("%s", s.paint.Dim(strings.TrimRight(line, " ")))
	s.ended = true
}

// footer says what state a run without a summary is in.
func (s *view) footer(path string) {
	st, err := look(run.Run{Dir: filepath.Dir(path)})
	if err != nil || !st.Live() {
		s.say("%s", s.paint.Red(style.Mark("── failed: no summary")))
		return
	}
	s.say("%s", s.paint.Cyan(fmt.Sprintf(style.Mark("── running: process %d"), st.PID)))
}
