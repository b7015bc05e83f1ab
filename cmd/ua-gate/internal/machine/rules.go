package machine

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// writeRules are what writing to a place means: the first that fits counts.
var writeRules = [...]struct {
	kind     table.PathKind
	act      judgement.Act
	row, why string
}{
	{table.PathDisk, judgement.WritesMachine, "path:disk", "writes the device "},
	{table.PathNever, judgement.WritesMachine, "path:accounts", "writes who may log in, "},
	{table.PathGuarded | table.PathSecret, judgement.WritesGuarded, "path:guarded",
		"writes what runs or is trusted later, "},
	{table.PathSettings, judgement.WritesOutside, "path:home", "writes the settings "},
	{table.PathSystem, judgement.WritesOutside, "path:system", "writes the system's "},
}

// Write is the rule for a place that a part may write, perhaps anew.
func (m *State) Write(p *finding.Part, target shell.Word, sc *shell.Scope, anew bool) {
	at := m.At(target.Text, sc)
	if !PathLike(target.Text) {
		at.Kind = 0
	}
	m.Reaches(p, at)
	if anew && at.Kind&(table.PathRecord|table.PathGuarded) == table.PathRecord {
		p.Hold("path:all", "writes anew "+match.Show(target.Text)+", which nobody gets back")
	}
	if at.Kind&table.PathSecret != 0 && at.Kind&table.PathAway != 0 {
		p.Secrets = append(p.Secrets, m.File(at.Abs))
	}
	for _, r := range &writeRules {
		if at.Kind&r.kind != 0 {
			p.AddBy(r.act, r.row, r.why+match.Show(target.Text), target.Text)
			return
		}
	}
	if anew {
		m.Overwrites(p, target, sc)
	}
}

// Overwrites is the rule for what is lost because it is written anew: outside the workspace
// nothing that the command knows of can make it again.
func (m *State) Overwrites(p *finding.Part, target shell.Word, sc *shell.Scope) {
	at := m.At(target.Text, sc)
	switch {
	case target.From&shell.FromOutside != 0 && !target.Plain():
		p.Add(judgement.WritesOutside, "path:outside", "writes files that another command found outside")
	case PathLike(target.Text) && at.Kind&table.PathAway != 0 && m.Cwd != "" &&
		!at.Within(m.Folder(m.Cwd).Abs):
		m.Reaches(p, at)
		p.AddBy(judgement.WritesOutside, "path:outside",
			"writes anew "+match.Show(target.Text)+", outside the workspace", target.Text)
	}
}

// Placed is the rule for a path that is written: what is done, which is known to be in the
// workspace only if its folder is.
func (m *State) Placed(p *finding.Part, row, reason string, target shell.Word, sc *shell.Scope) {
	act := judgement.WritesHere
	if strings.HasPrefix(target.Text, match.Hole) || sc.Cwd == "" && m.Cwd != "" &&
		!Rooted(target.Text) {
		act, reason = judgement.WritesUnknown, reason+", which may lie anywhere"
	}
	p.AddBy(act, row, reason, target.Text)
}

// WritesFile is the rule for a file that a program or a redirection writes. It reports whether it
// is one: what goes into a stream changes none.
func (m *State) WritesFile(p *finding.Part, row, program string, target shell.Word,
	sc *shell.Scope,
	anew bool) bool {
	if target.Text == "/dev/fd/"+match.Hole || m.At(target.Text, sc).Kind&table.PathStream != 0 {
		return false
	}
	m.Placed(p, row, program+"writes "+match.Named(target.Text), target, sc)
	m.Write(p, target, sc, anew)
	return true
}

// Reaches notes a place that a part writes if it is outside the workspace.
func (m *State) Reaches(p *finding.Part, at table.Place) {
	file := m.File(at.Real)
	if at.Kind&table.PathAway != 0 && strings.HasPrefix(file, "/") && !slices.Contains(p.Outside,
		file) {
		p.Outside = append(p.Outside, file)
	}
}

// Read is the rule for a path that a part reads. It reports whether the path
// is a secret.
func (m *State) Read(p *finding.Part, target shell.Word, sc *shell.Scope) bool {
	if target.From&shell.FromNames != 0 && !target.Plain() {
		p.Add(judgement.ReadsSecrets, "path:secret",
			"reads secrets by the names that another command gives")
		return true
	}
	if target.Subst && target.From&shell.FromDecode != 0 && strings.Contains(target.Text,
		match.Hole) &&
		!strings.Contains(target.Text, "://") {
		p.AddHidden("word:made", "reads a file whose name a decoder makes")
		return true
	}
	if !PathLike(target.Text) {
		return false
	}
	at := m.At(strings.TrimPrefix(target.Text, "@"), sc)
	if at.Kind&(table.PathHidden|table.PathDisk) == 0 {
		return false
	}
	if file := m.File(at.Abs); at.Kind&table.PathAway != 0 && strings.HasPrefix(file, "/") {
		p.Secrets = append(p.Secrets, file)
	}
	p.AddBy(judgement.ReadsSecrets, "path:secret", "reads the secret "+match.Show(target.Text),
		target.Text)
	return true
}

// PathLike keeps the path rules from words that are no paths: without a
// letter, or with spaces as prose has.
func PathLike(text string) bool {
	return text != "" && text != "-" && text != match.Hole && strings.Count(text, " ") < 4 &&
		len(text) < 4096
}

// Rooted reports whether the text is a path from the root or from somebody's home: ~slow alone
// is a word of a program's own, since nobody keeps code right in the home of another user.
func Rooted(text string) bool {
	return strings.HasPrefix(text, "/") || text == "~" ||
		strings.HasPrefix(text, "~") && strings.Contains(text, "/")
}

// Foreign reports whether the text is a path that leads out of the workspace to where
// neither programs are installed nor the project next door lies.
func (m *State) Foreign(text string, sc *shell.Scope) bool {
	text = strings.TrimPrefix(text, "file://")
	up := strings.HasPrefix(path.Clean(text), "../..")
	if len(text) < 2 || strings.HasPrefix(text, "//") || !up && text[0] != '/' &&
		!strings.HasPrefix(text, "~/") || strings.Contains(text, match.Hole) &&
		!strings.HasPrefix(text, "/tmp") {
		return false
	}
	at := m.At(text, sc)
	return at.Kind&(table.PathHere|table.PathInstalled) == 0 &&
		(m.Cwd == "" || !at.Within(m.Folder(m.Cwd).Abs))
}

// maxWritten bounds how many files that a command writes are remembered.
const maxWritten = 200

// WroteFile notes that the command has written a file.
func (m *State) WroteFile(path string, sc *shell.Scope) {
	if len(m.Written) >= maxWritten {
		m.Simple = MaxSimple + 1
		return
	}
	m.Written = append(m.Written, Written{File: m.At(path, sc).Abs})
}

// WrittenAt returns what the command has last written to the place, or nil.
func (m *State) WrittenAt(file shell.Word, sc *shell.Scope) *Written {
	if len(m.Written) == 0 || file.Text == "" {
		return nil
	}
	at := m.At(file.Text, sc).Abs
	for i := len(m.Written) - 1; i >= 0; i-- {
		if m.Written[i].File == at {
			return &m.Written[i]
		}
	}
	return nil
}

// HasWritten reports whether this command has written the file.
func (m *State) HasWritten(file shell.Word, sc *shell.Scope) bool {
	return m.WrittenAt(file, sc) != nil
}

// Carried returns the flows of a file that the command has put something into.
func (m *State) Carried(file shell.Word, sc *shell.Scope) (from shell.Flow) {
	if len(m.Written) == 0 || file.Text == "" {
		return 0
	}
	at := m.At(file.Text, sc).Abs
	for _, f := range slices.Backward(m.Written) {
		if f.File == at {
			if from |= f.From; f.Sure {
				break
			}
		}
	}
	return from
}

// WroteFrom reports whether some file that the command writes carries the flow.
func (m *State) WroteFrom(from shell.Flow) bool {
	return slices.ContainsFunc(m.Written, func(f Written) bool { return f.From&from != 0 })
}

// TextOf returns what is in a file that the command has written, if nothing else can have
// changed it since.
func (m *State) TextOf(file shell.Word, sc *shell.Scope) (string, bool) {
	f := m.WrittenAt(file, sc)
	if f == nil || !f.Known || strings.Contains(file.Text, match.Hole) &&
		file.From&shell.FromTemp == 0 ||
		len(m.Links) > 0 || m.WroteFrom(shell.FromNet) {
		return "", false
	}
	return f.Text, true
}

// MayBeCode reports whether a file that was written may be what is run next, or read by it as
// code: what people call a log or a table is not.
func MayBeCode(f Written) bool {
	return !match.InList(" .log .txt .out .err .csv .tsv .md .json .xml .html ", path.Ext(f.File)) ||
		match.InList(" package.json tsconfig.json composer.json deno.json ", path.Base(f.File))
}
