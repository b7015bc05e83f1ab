package tracker

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/cmd/ua-shell/internal/mark"
)

// heard returns a Tracker that writes down what it calls, in words.
func heard(t *testing.T, term string) (tr *Tracker, said func() string) {
	t.Setenv("TERM", term)
	tr = New()
	tr.host = "host"
	var list []string
	note := func(format string, a ...any) { list = append(list, fmt.Sprintf(format, a...)) }
	tr.Print = func(p []byte) { note("%q", p) }
	tr.Ready, tr.Prompt = func() { note("ready") }, func() { note("prompt") }
	tr.Accepted = func(line string) { note("accepted %s", line) }
	tr.Started = func() { note("started") }
	tr.Ended = func(status int) { note("ended %d", status) }
	tr.Nothing, tr.Pasting = func() { note("nothing") }, func() { note("pasting") }
	tr.Asked, tr.HookWaits = func() { note("asked") }, func() { note("met") }
	tr.StrayPrompt = func() { note("untold") }
	tr.Told = func(token string) bool { return token == "t" }
	tr.Typed = func(key string) bool { return key == "k" }
	tr.Unproven = func(token, line string) { note("doubt %s%s", token, line) }
	return tr, func() string {
		text := strings.Join(list, ", ")
		list = nil
		return text
	}
}

// events reads "P B E=qls": own marks, each with its body; "F" is a foreign one, and
// "+2004" and "-2004" are modes.
func events(text string) (list []mark.Event) {
	for _, word := range strings.Fields(text) {
		var mode int
		switch _, err := fmt.Sscanf(word[1:], "%d", &mode); {
		case word[0] == '+' || word[0] == '-':
			if err != nil {
				panic(word)
			}
			list = append(list, mark.Event{Kind: mark.Mode, Mode: mode, On: word[0] == '+'})
		case word == "F":
			list = append(list, mark.Event{Kind: mark.Foreign})
		default:
			letter, body, _ := strings.Cut(word, "=")
			list = append(list, mark.Event{Kind: mark.Own, Letter: letter[0], Body: body})
		}
	}
	return list
}

// withMarks returns text with a mark, as it is printed to the terminal, for each "<BODY>".
func withMarks(text string) string {
	return strings.NewReplacer("<", `"\x1b]133;`, ">", `\a"`).Replace(text)
}

// TestTracker follows shells by what they tell.
func TestTracker(t *testing.T) {
	for _, c := range []struct {
		name, term, events, want string
		state                    State
	}{
		{"nothing yet", "xterm", "", "", Unknown},
		{"a prompt", "xterm", "P B", "ready, <A>, <B>, prompt", Input},
		{"drawn anew", "xterm", "P B P B", "ready, <A>, <B>, prompt, <A>, <B>, prompt", Input},
		{"a command", "xterm", "E=k;qls C D=t;3;",
			"ready, accepted ls, <C>, started, <D;3>, ended 3, met", Idle},
		{"in a URL's form", "xterm", "E=k;ua%20b C", "ready, accepted a b, <C>, started", Running},
		{"its line is told late", "xterm", "C L=t;q$'ls\\040-l' D=t;0;",
			"ready, <C>, started, <D;0>, ended 0, met", Idle},
		{"no command, told late", "xterm", "L=t;q\\# D=t;0;",
			"ready, accepted #, nothing, met", Idle},
		{"lines of a paste", "xterm", "E=k;qone C C D=t;1;",
			"ready, accepted one, <C>, started, <D;1>, ended 1, met", Idle},
		{"no status", "xterm", "C D=t;x;", "ready, <C>, started, <D;x>, ended 0, met", Idle},
		{"an empty line", "xterm", "P B E=k;q'' D=t;0;",
			"ready, <A>, <B>, prompt, accepted , nothing, met", Idle},
		{"a command that nobody typed", "xterm", "E=k;qls C D=t;0; C C",
			"ready, accepted ls, <C>, started, <D;0>, ended 0, met", Idle},
		{"a prompt while a command runs", "xterm", "C P B D=t;0;",
			"ready, <C>, started, untold, <D;0>, ended 0, met", Idle},
		{"forged", "xterm", "C D=0;q/ D=x;0;q/ E=x;qls L=x;qls E=;q# D=",
			"ready, <C>, started, doubt 0, doubt x, doubt xls, doubt x, doubt #, doubt ", Running},
		{"a hook waits", "xterm", "Q=12 Q", "ready, asked, asked", Idle},
		{"a shell that tells by itself", "xterm", "D=t;0; F P B C D=t;0;",
			"ready, nothing, met, prompt, started, ended 0, met", Idle},
		{"a command that does", "xterm", "C F D=t;0; P",
			"ready, <C>, started, <D;0>, ended 0, met, <A>", Drawing},
		{"before the first word", "xterm", "F P", "ready, <A>", Drawing},
		{"a console knows none of it", "linux", "P B C D=t;0;q/tmp",
			"ready, prompt, started, ended 0, met", Idle},
		{"pasting", "xterm", "+2004 -2004 +2004", "pasting, pasting", Unknown},
		{"another mode", "xterm", "+25 -25 +1000", "", Unknown},
		{"an unknown letter", "xterm", "Z=1", "ready", Idle},
	} {
		tr, said := heard(t, c.term)
		for _, e := range events(c.events) {
			tr.Event(e)
		}
		want := withMarks(c.want)
		if got := said(); got != want || tr.State != c.state {
			t.Errorf("%s: state %d, %s\nwant %d, %s", c.name, tr.State, got, c.state, want)
		}
	}
}

// TestModes: what is on, and what once was.
func TestModes(t *testing.T) {
	for text, want := range map[string][3]bool{ // Paste, Pastes, Alt
		"": {}, "+2004": {true, true, false}, "+2004 -2004": {false, true, false}, "-2004": {},
		"+1049": {false, false, true}, "+47": {false, false, true}, "+1047 -1047": {}, "+1049 -47": {},
	} {
		tr, _ := heard(t, "xterm")
		for _, e := range events(text) {
			tr.Event(e)
		}
		if got := [3]bool{tr.Paste, tr.Pastes, tr.Alt}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestFolder: the terminal is told of each new folder once, and a folder that the shell is
// not in is not taken for its own.
func TestFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one two", "other"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	one, other, link := dir+"/one two", dir+"/other", dir+"/link"
	os.Symlink("one two", link)
	tr, said := heard(t, "xterm")
	tr.Proc = filepath.Join(dir, "cwd")
	in := func(real, told string) string {
		t.Helper()
		os.Remove(tr.Proc)
		if real != "" {
			if err := os.Symlink(real, tr.Proc); err != nil {
				t.Fatal(err)
			}
		}
		tr.Event(mark.Event{Kind: mark.Own, Letter: 'D', Body: "t;0;u" + url.PathEscape(told)})
		said := said()
		if _, osc, ok := strings.Cut(said, `\x1b]7;file://host`); ok {
			return tr.Cwd + " told " + strings.TrimSuffix(osc, `\a", met`)
		}
		return tr.Cwd
	}
	for _, c := range []struct{ real, told, want string }{
		{one, one, one + " told " + dir + "/one%20two"}, {one, one, one},
		{one, link, link + " told " + dir + "/link"}, // the name by which the shell came there
		{other, other, other + " told " + other},
		{one, other, one + " told " + dir + "/one%20two"}, // forged
		{one, dir + "/nowhere", one}, {one, "relative", one},
		{dir + "/gone", other, other + " told " + other}, // the system does not tell
		{"", one, one + " told " + dir + "/one%20two"}, {"", "", one},
	} {
		if got := in(c.real, c.told); got != c.want {
			t.Errorf("in %q, told %q: %s, want %s", c.real, c.told, got, c.want)
		}
	}
}
