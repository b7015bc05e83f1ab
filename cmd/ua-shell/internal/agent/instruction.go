package agent

import (
	"os"
	"strings"
	"time"

	"ua/internal/common/event"
)

// hookWaits is called when the hook has told all and waits. It goes on with the turn, or begins
// one with the user's line.
func (a *Agent) hookWaits() {
	a.waiting, a.mute = true, false
	a.meetings++
	line, unsure := a.line, a.unsure && !a.got
	a.line, a.got, a.unsure = "", false, false
	switch {
	case unsure:
		a.warn("A line starting with # was ignored: it may not have come from you. If it did, " +
			"enter it again.")
	case a.doubted && !a.warned:
		a.warned = true
		a.warn("A program is printing fake prompt marks. They are ignored.")
	}
	switch {
	case a.turn != nil:
		a.turn.next()
	case strings.HasPrefix(line, "#"):
		a.begin(line)
	default:
		a.release()
	}
}

// begin begins a turn with a # line. An empty one opens the editor, ? asks about the last
// command, and ! has the shell run ua.
func (a *Agent) begin(line string) {
	text := instruction(line)
	a.turn = &turn{Agent: a, began: time.Now()}
	switch {
	case text == "":
		if text = a.compose(""); text == "" {
			a.release()
			return
		}
	case text == "?":
		text = "Explain the last command that I ran and what it printed. If it failed, say why and " +
			"what to do."
	case strings.HasPrefix(text, "!"):
		if text = strings.TrimSpace(text[1:]); a.turn.open(text) {
			a.turn.runUA(text)
		}
		return
	}
	if a.Shell == "bash" && strings.Contains(line, "\n") {
		a.screen.Say("%s", a.screen.Paint.Dim(printable(line))) // the line editor has thrown it away
	}
	a.turn.begin(text)
}

// begin puts the question to the model. The first question of a session is preceded by
// the run, the system prompt and the surroundings; every question by what the user ran
// since the last one.
func (t *turn) begin(text string) {
	if !t.open(text) {
		return
	}
	var lines [][]byte
	// The output may hold a secret, and so may the line that was typed.
	for _, c := range t.history {
		output, _ := c.Output(t.secrets, 16<<10, t.Lines)
		line, _ := t.secrets.Text(c.Line)
		lines = append(lines, event.New("shell_command").Str("command", line).Str("cwd",
			c.Cwd).Int("exit_code", int64(c.Status)).OptStr("output", output).Line())
	}
	t.history = nil
	lines = append(lines, event.New("instruction").Str("text", text).Line())
	for _, line := range lines {
		t.ring.Put(line)
	}
	t.question()
}

// open begins the session's journal, unless it has begun: with the run, the system prompt
// and the surroundings. It reports whether there is a journal. What a confined shell says
// of its folder does not count, since a run that is resumed works in the one named here.
func (t *turn) open(task string) bool {
	if t.Trouble != nil {
		t.fail(t.Trouble.Error())
		return false
	}
	if t.begun {
		return true
	}
	t.begun = true
	cwd := t.tracker.Cwd
	if t.Profile != "" {
		cwd = t.Began
	}
	columns, rows := t.screen.Size()
	t.ring.Put(event.New("run").Str("id", t.ring.Run.ID).Int("depth", 0).Str("task", task).
		Str("agent", "shell").Str("cwd", cwd).OptStr("profile", t.Profile).
		Raw("options", t.Terms).Int("pid", int64(os.Getpid())).Str("version", t.Version).Line())
	t.ring.Put(systemEvent(t.Profile))
	t.ring.Put(surroundings(t.Shell, t.tracker.Cwd, columns, rows))
	return true
}

// runUA has the shell run ua for an instruction. What a confined shell says is no reason to go
// anywhere else, so there ua works in the session's folder or below it.
func (t *turn) runUA(text string) {
	command := "ua -- " + quoted(text, t.Shell)
	if t.Profile != "" && !strings.HasPrefix(t.tracker.Cwd+"/", t.Began+"/") {
		command = "ua -C " + quoted(t.Began, t.Shell) + " -- " + quoted(text, t.Shell)
	}
	t.call = &call{command: command, cwd: t.tracker.Truly(t.tracker.Cwd), delegates: true, own: true}
	t.phase = typing
	t.next()
}

// quoted writes text as one word of the shell, on one line.
func quoted(text, shell string) string {
	escapes := strings.NewReplacer("'", `'\''`, "\n", " ")
	if shell == "fish" {
		escapes = strings.NewReplacer("'", `\'`, `\`, `\\`, "\n", " ")
	}
	return "'" + escapes.Replace(text) + "'"
}

// instruction returns what a # line says: each of its lines without the # and one blank.
func instruction(line string) string {
	lines := strings.Split(line, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(l, " \t"), "#"), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
