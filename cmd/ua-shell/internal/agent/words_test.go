package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/stages"
	"ua/cmd/ua-shell/internal/tracker"
	"ua/internal/common/event"
)

func TestInstruction(t *testing.T) {
	for line, want := range map[string]string{
		"# do it": "do it", "#do it": "do it", "#": "", "#  ": "", "  # x": "x", "## x": "# x",
		"# a\n# b": "a\nb", "# a\nb": "a\nb", "# a\n  #  b\n#": "a\n b", "#\n# a\n#": "a",
		"# ?": "?", "#! ls": "! ls", "# \t a \t": "a",
	} {
		if got := instruction(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestSystemEvent: the prompt says which sandbox is around the shell, and nothing of the
// day or the machine, so that a provider can keep it.
func TestSystemEvent(t *testing.T) {
	for profile, want := range map[string]string{"": "No sandbox is around the shell",
		"workspace": "The shell runs in a sandbox with the profile workspace"} {
		line, again := systemEvent(profile), systemEvent(profile) // of two times, perhaps
		if event.Str(line, "text") != event.Str(again, "text") || !event.Valid(line) ||
			gjson.GetBytes(line, "tools").Raw != gjson.GetBytes(again, "tools").Raw ||
			!strings.Contains(event.Str(line, "text"), want) ||
			strings.Contains(event.Str(line, "text"), "%!") {
			t.Errorf("%q: %s", profile, line)
		}
		if name := gjson.GetBytes(line, "tools.0.name").Str; name != "shell" {
			t.Errorf("the tool is %q", name)
		}
	}
	if !json.Valid([]byte(tools)) {
		t.Error("the tools are no JSON")
	}
}

// TestSurroundings: what a model is told of the environment is a few variables, and no
// other one.
func TestSurroundings(t *testing.T) {
	for _, name := range harmless() {
		t.Setenv(name, "")
	}
	t.Setenv("TERM", "xterm-x")
	t.Setenv("EDITOR", strings.Repeat("e", 200)) // no name of an editor
	t.Setenv("LANG", "de\x1b[2J")
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-hidden")
	line := surroundings("fish", "/w\n", 80, 24)
	text := event.Str(line, "text")
	if !event.Valid(line) || event.Type(line) != "message" || event.Str(line, "from") != "ua-shell" ||
		!strings.HasPrefix(text, "The shell is fish on ") ||
		!strings.Contains(text, "80 columns and 24 rows.") ||
		!strings.Contains(text, "\nTERM=xterm-x") || strings.Contains(text, "EDITOR") ||
		strings.Contains(text, "TMUX") || strings.Contains(text, "hidden") {
		t.Errorf("%s", line)
	}
}

// asked is a turn with a question, whose ring has no stages.
func asked(t *testing.T, ask string) (tn *turn, shown func() string) {
	t.Helper()
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("TERM", "xterm")
	t.Setenv("PATH", t.TempDir()) // no journal is started: what is put fails, which ends nothing
	var out strings.Builder
	size := func() (columns, rows int) { return 200, 50 }
	a := &Agent{screen: screen.New(false, size, func(p []byte) { out.Write(p) }),
		ring: &stages.Ring{Lost: func(string, string) {}}, tracker: tracker.New()}
	tn = &turn{Agent: a, phase: asking, ask: &question{call: "c1", event: []byte(ask)}}
	return tn, func() string {
		text := out.String()
		out.Reset()
		return text
	}
}

// TestKeys: which keys answer a question, and what is shown of them.
func TestKeys(t *testing.T) {
	const (
		plain      = `{"command":"ls","risk":"write","reason":"r"}`
		session    = `{"command":"ls","risk":"write","session":"git"}`
		privileged = `{"command":"rm","risk":"privileged","needs":"yes","session":"git"}`
	)
	for _, c := range []struct {
		name, ask, typed string
		answered, quit   bool
		instead          bool // the calls behind it are not run
		line             string
	}{
		{"yes", plain, "y", true, false, false, "y"}, {"Yes", plain, "Y", true, false, false, "Y"},
		{"no", plain, "n", true, false, false, "n"}, {"quit", plain, "q", true, true, true, "q"},
		{"Ctrl-C", plain, "\x03", true, true, true, ""}, {"Ctrl-D", plain, "\x04", true, true, true, ""},
		{"session", session, "a", true, false, false, "a"},
		{"no session", plain, "a", false, false, false, "a"},
		{"another key", plain, "x", false, false, false, "x"},
		{"a word", plain, "xyes\r", false, false, false, ""},
		{"only the first letter counts", plain, "xy", false, false, false, "xy"},
		{"taken back", plain, "x\x7fy", true, false, false, "y"},
		{"taken back whole", plain, "xxx\x15n", true, false, false, "n"},
		{"nothing to take back", plain, "\x7f\x7f\x15", false, false, false, ""},
		{"an arrow", plain, "\x1b[A", false, false, false, ""},
		{"a letter behind an arrow is the arrow's", plain, "\x1b[y", false, false, false, ""},
		{"Enter alone", plain, "\r", false, false, false, ""},
		{"something else", plain, "# do it so\r", true, false, true, "# do it so"},
		{"something else in letters of many bytes", plain, "#ü漢\x7f\x7fe\r", true, false, true, "#e"},
		{"no more than yes", privileged, "y", false, false, false, "y"},
		{"yes in full", privileged, "yes\r", true, false, false, "yes"},
		{"YES in full", privileged, "YES\n", true, false, false, "YES"},
		{"yes and more", privileged, "yes!\r", false, false, false, ""},
		{"a session for that", privileged, "a", false, false, false, "a"},
		{"no to that", privileged, "n", true, false, false, "n"},
		{"control characters", plain, "\x01\x02\x00\t", false, false, false, ""},
		{"bytes that are no text", plain, "\xff\xfe", false, false, false, ""},
		{"Enter behind the answer", plain, "y\r", true, false, false, "y"},
	} {
		for _, whole := range []bool{true, false} { // at once, or key by key
			tn, _ := asked(t, c.ask)
			q := tn.ask
			if whole || strings.ContainsAny(c.typed, "\x1b") {
				tn.key([]byte(c.typed))
			} else {
				for _, r := range c.typed {
					tn.key([]byte(string(r)))
					if q.answered {
						break
					}
				}
			}
			if q.answered != c.answered || q.quit != c.quit || (tn.dropped != "") != c.instead ||
				string(q.line) != c.line {
				t.Errorf("%s, at once %v: answered %v, quit %v, dropped %q, line %q",
					c.name, whole, q.answered, q.quit, tn.dropped, q.line)
			}
		}
	}
}

// TestPasted: what is pasted at a question is no answer, whatever letter it begins with.
func TestPasted(t *testing.T) {
	for _, text := range []string{"yarn build\r", "apt update", "yq", "ya\r", "no\r", "quit\r"} {
		tn, _ := asked(t, `{"command":"ls","risk":"write","session":"git"}`)
		if tn.key([]byte(text)); tn.ask.answered {
			t.Errorf("%q answers: line %q", text, tn.ask.line)
		}
	}
}

// TestShownCommand: what is to be typed is shown whole, or says how to see the rest; and
// nothing of it drives the terminal.
func TestShownCommand(t *testing.T) {
	long := strings.Repeat("é", longest+7)
	for _, c := range []struct{ command, risk, want string }{
		{"ls", "", "❯ ls\r\n"}, {"ls", "write", "❯ ls ▐ write\r\n"},
		{"a\nb\nc", "network", "❯ a\r\n│ b\r\n│ c ▐ network\r\n"},
		{"a\x1b[2Jb\r\u202e\u3164\x9b", "",
			`❯ a<U+001B>[2Jb<U+000D><U+202E><U+3164>\x9b` + "\r\n"},
		{"", "", "❯ \r\n"},
		{long, "", "❯ " + strings.Repeat("é", longest) + " … 7 more characters: [v] shows all\r\n"},
	} {
		tn, shown := asked(t, `{}`)
		if tn.command(c.command, c.risk); unfolded(shown()) != c.want {
			tn.command(c.command, c.risk)
			t.Errorf("%.60q: %.200q", c.command, shown())
		}
	}
	tn, shown := asked(t, `{"command":"`+long+`"}`)
	tn.key([]byte("v"))
	if !strings.Contains(unfolded(shown()), long) || tn.ask.answered || len(tn.ask.line) > 0 {
		t.Errorf("v: answered %v", tn.ask.answered)
	}
}

// unfolded is text without what parts long words in lines.
func unfolded(text string) string { return strings.ReplaceAll(text, "\r\n│   ", "") }

func TestChoices(t *testing.T) {
	for ask, want := range map[string]string{
		`{}`: "  [y] run [n] skip [e] edit [v] view [q] quit [?] help > ",
		`{"session":"git push"}`: "  [y] run [n] skip [a] allow git push for the session [e] edit " +
			"[v] view [q] quit [?] help > ",
		`{"session":"` + strings.Repeat("x", 150) + `"}`: "  [y] run [n] skip [a] allow " +
			strings.Repeat("x", 150) + " for the session\n  [e] edit [v] view [q] quit [?] help > ",
		`{"session":"` + strings.Repeat("x", 190) + `"}`: "  [y/n/a/e/v/q/?] > ",
		`{"session":"x\u001b[2J"}`: "  [y] run [n] skip [a] allow x^[[2J for the session [e] edit " +
			"[v] view [q] quit [?] help > ",
		`{"needs":"yes","session":"git push"}`: `  type "yes" to run, [n] skip [e] edit [v] view ` +
			`[q] quit [?] help > `,
		`{"needs":"Yes","session":"","risk":"x"}`: "  [y] run [n] skip [e] edit [v] view [q] quit " +
			"[?] help > ",
	} {
		tn, _ := asked(t, ask)
		if got := tn.choices(); got != want {
			t.Errorf("%s: %q", ask, got)
		}
	}
}

// TestEndOfAnswer: the end of an answer, which may come late, is dealt with when the journal
// has the results of its calls. Else the last line would miss them.
func TestEndOfAnswer(t *testing.T) {
	tn, _ := asked(t, "")
	tn.phase, tn.ask, tn.unkept = thinking, nil, 2
	tn.turn = tn
	for _, c := range []struct {
		line string
		left int // of what the model has said
	}{
		{`{"type":"response","stop_reason":"interrupted","content":[]}`, 1},
		{`{"type":"tool_result","call_id":"c1","status":"run"}`, 1},
		{`{"type":"tool_result","call_id":"c2","status":"run"}`, 0},
	} {
		if tn.kept([]byte(c.line)); len(tn.lines) != c.left {
			t.Errorf("%s: %d are left", c.line, len(tn.lines))
		}
	}
}
