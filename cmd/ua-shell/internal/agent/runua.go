package agent

import "strings"

// runUA has the shell run ua for an instruction: the person's own command, in the shell's
// folder and with a sandbox of its own. What a confined shell says of its folder does not
// count where it is not that of the session.
func (t *turn) runUA(text string) {
	command := "ua -- " + quoted(text, t.Shell)
	if t.Profile != "" && !strings.HasPrefix(t.tracker.Cwd+"/", t.Began+"/") {
		command = "ua -C " + quoted(t.Began, t.Shell) + " -- " + quoted(text, t.Shell)
	}
	t.call = &call{command: command, delegates: true, own: true,
		cwd: t.tracker.Truly(t.tracker.Cwd)}
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
