package agent

import "strings"

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
