package screen

import (
	"strings"
	"testing"
	"time"

	"ua/internal/common/style"
)

// TestScreen: lines that flow forward, with what drives a terminal shown as its name.
func TestScreen(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("TERM", "xterm")
	var s *Screen
	for _, c := range []struct {
		name string
		do   func()
		want string
	}{
		{"a line", func() { s.Say("a %d", 1) }, "a 1\r\n"},
		{"text in pieces", func() { s.Text("a"); s.Text("b\nc") }, "ab\r\nc"},
		{"a line behind text", func() { s.Text("a"); s.Say("b") }, "a\r\nb\r\n"},
		{"a line behind a whole line", func() { s.Text("a\n"); s.Say("b") }, "a\r\nb\r\n"},
		{"hostile text", func() { s.Text("a\x1b[2J\x9bb\r") }, `a^[[2J\x9bb^M`},
		{"no text", func() { s.Text(""); s.Say("b") }, "b\r\n"},
		{"ended twice", func() { s.Text("a"); s.EndLine(); s.EndLine() }, "a\r\n"},
		{"a question", func() { s.Text("x"); s.Ask("y? "); s.Echo("n"); s.Echo("\n"); s.Say("b") },
			"x\r\ny? n\r\nb\r\n"},
		{"taken back", func() { s.Ask("b\n> "); s.Echo("a漢"); s.Retype("a") },
			"b\r\n> a漢\r\x1b[K> a"},
		{"folded", func() { s.Say("  aaaa bbbb cccc dddd eeee ffff gggg hhhh") },
			"  aaaa bbbb cccc dddd eeee \r\n    ffff gggg hhhh\r\n"},
		{"markdown", func() {
			s.Paint = true
			s.answer = style.NewMarkdown(true)
			s.Text("- **b** `c`\n```sh\nx")
			s.EndAnswer()
			s.Text("y")
			s.EndAnswer()
		}, "• \x1b[1mb\x1b[0m \x1b[36mc\x1b[0m\r\n\x1b[2m```sh\x1b[0m\r\n\x1b[36mx\x1b[0m\r\ny\r\n"},
		{"something else printed", func() { s.Text("a"); s.Left(); s.Say("b") }, "ab\r\n"},
		{"a thought", func() { s.Thinking("**a"); s.Thinking(" b**\nmore"); s.Thinking(" and more") },
			"# a b …\r\n"},
		{"a short thought", func() { s.Thinking("a"); s.Text("b") }, "# a\r\nb"},
		{"two thoughts", func() { s.Thinking("a\nx"); s.EndThought(); s.Thinking("b\ny") },
			"# a …\r\n# b …\r\n"},
		{"a blank thought", func() { s.Thinking(" \n*"); s.Text("b") }, "b"},
		{"a long thought", func() { s.Thinking(strings.Repeat("x", 201)) },
			"# " + strings.Repeat("x", 28) + strings.Repeat("\r\n  "+strings.Repeat("x", 28), 2) +
				"\r\n  " + strings.Repeat("x", 16) + " …\r\n"},
		{"a hostile thought", func() { s.Thinking("\x1b[2Ja\n") }, "# ^[[2Ja\r\n"},
	} {
		var out strings.Builder
		s = New(false, func() (int, int) { return 30, 24 }, func(p []byte) { out.Write(p) })
		if c.do(); out.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, out.String(), c.want)
		}
	}
}

// TestSpin: the spinner stands on a line of its own, and goes before anything else comes.
func TestSpin(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	var out strings.Builder
	s := New(false, func() (int, int) { return 30, 24 }, func(p []byte) { out.Write(p) })
	said := func() string {
		text := out.String()
		out.Reset()
		return text
	}
	s.Text("open")
	said()
	s.Spin("thinking", time.Now())
	if got := said(); got != "" {
		t.Errorf("on a line that is not ended: %q", got)
	}
	s.EndLine()
	said()
	frames := map[string]bool{}
	for range 4 {
		s.Spin("thinking", time.Now().Add(-1500*time.Millisecond))
		got := said()
		if !strings.HasPrefix(got, "\r\x1b[K") || !strings.HasSuffix(got, " thinking 1.5s") {
			t.Fatalf("%q", got)
		}
		frames[got] = true
	}
	if len(frames) != 4 {
		t.Errorf("it stands still: %v", frames)
	}
	s.Say("a")
	if got := said(); got != "\r\x1b[Ka\r\n" {
		t.Errorf("%q", got)
	}
	s.Clear()
	if got := said(); got != "" {
		t.Errorf("cleared twice: %q", got)
	}
}
