// Package runtry finds out what a run's try (ua-try(1)) holds, and applies it.
package runtry

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// Link returns the path of the symbolic link in a run's folder that leads to its try.
func Link(r run.Run) string { return filepath.Join(r.Dir, "try") }

// A Try is what has become of a run's try.
type Try struct {
	// The try's ID, how many files and folders it changes, and whether it changes
	// anything; Kept, if nothing of it is applied.
	ID             string
	Files, Folders int64
	Empty, Kept    bool
	// Whether Apply has applied it.
	Applied bool
	Trouble string // why it could not be applied, lines for a person
	Network string // the first addresses that its commands spoke to
	Outside string // what they wrote outside of the folder
	Link    string // the path of the link to it
}

// Of returns what the run's try holds, or nil without one. Its stage has then said why.
func Of(r run.Run) *Try {
	link := Link(r)
	text, err := exec.Command(prog.Sibling("ua-try"), "ls", "--json", link).Output()
	if err != nil {
		return nil
	}
	return parse(text, link)
}

// parse reads one line of ua-try ls --json.
func parse(text []byte, link string) *Try {
	state := gjson.GetBytes(text, "state").String()
	return &Try{
		ID:      gjson.GetBytes(text, "id").String(),
		Files:   gjson.GetBytes(text, "files").Int(),
		Folders: gjson.GetBytes(text, "folders").Int(),
		Empty:   state == "empty", Kept: state == "kept",
		Network: strings.Join(event.Strings(text, "network"), ", "),
		Outside: strings.Join(event.Strings(text, "outside"), ", "), Link: link,
	}
}

// Apply applies the try and returns the exit status of ua-try, 128+n for signal n.
func (t *Try) Apply() (status int) {
	path, err := prog.FindSibling("ua-try")
	if err != nil {
		t.Trouble = err.Error()
		return prog.NotFound
	}
	cmd := exec.Command(path, "apply", t.Link)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	status = prog.Ended(cmd.ProcessState)
	if t.Applied = err == nil; err != nil {
		t.Trouble = strings.TrimSpace(stderr.String())
	}
	if t.Trouble == "" && (status > 128 || cmd.ProcessState == nil) {
		t.Trouble = "ua-try: " + err.Error()
	}
	return status
}

// AddTo adds the try to a summary event.
func (t *Try) AddTo(summary []byte) []byte {
	if t == nil {
		return summary
	}
	fields := map[string]any{"id": t.ID, "files": t.Files, "applied": t.Applied}
	if more, err := sjson.SetBytes(summary, "try", fields); err == nil {
		return more
	}
	return summary
}

// Size says how much the try changes, "" if nothing.
func (t *Try) Size() string {
	switch {
	case t.Files > 0:
		return style.Plural(t.Files, "file")
	case t.Folders > 0:
		return style.Plural(t.Folders, "folder")
	}
	return ""
}
