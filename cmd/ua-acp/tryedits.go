package main

import (
	"os/exec"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// mostEdits is how many edits of a try are shown.
const mostEdits = 100

// offer shows the editor what a try holds, as edits, and asks what to do with it. Unless the
// person says so, it is kept apart.
func (t *turn) offer(try string) {
	id, edits := "try-"+try, edits(try)
	t.a.update(t.s.id, "tool_call", map[string]any{"toolCallId": id, "kind": "edit",
		"title": "Changes of the try " + try + ", kept apart", "status": "pending"})
	chosen := t.put(t.ctx, map[string]any{"toolCallId": id, "kind": "edit", "status": "pending",
		"title": "Apply the changes?", "content": edits}, choice{"apply", "Apply", "allow_once"},
		choice{"keep", "Keep apart", "reject_once"}, choice{"drop", "Drop", "reject_always"})
	state, note := "completed", "Kept apart: ua try diff | apply | drop "+try
	if chosen == "apply" || chosen == "drop" {
		note = map[string]string{"apply": "Applied: ua try undo", "drop": "Dropped"}[chosen]
		if out, err := exec.Command(prog.Sibling("ua-try"), chosen, try).CombinedOutput(); err != nil {
			state, note = "failed", style.Printable(string(out))
		}
	}
	t.update(id, map[string]any{"status": state, "content": append(edits, content(note)...)})
}

// edits returns what a try changes as diffs of the protocol, one for each hunk. It reads no
// file of the try or the folder itself: ua-try knows what is safe to read.
func edits(try string) (diffs []any) {
	list, _ := exec.Command(prog.Sibling("ua-try"), "diff", "--json", try).Output()
	for line := range strings.Lines(string(list)) {
		path := gjson.Get(line, "path").String()
		if path == "" || gjson.Get(line, "status").Str == "T" || len(diffs) >= mostEdits {
			continue
		}
		text, _ := exec.Command(prog.Sibling("ua-try"), "diff", try, path).Output()
		for _, h := range hunks(string(text)) {
			d := map[string]any{"type": "diff", "path": path, "newText": h.now}
			if h.was != "" {
				d["oldText"] = h.was
			}
			diffs = append(diffs, d)
		}
	}
	return diffs
}

// A hunk is what a part of a file was and is.
type hunk struct{ was, now string }

// hunks reads those of a unified diff of one file.
func hunks(diff string) (list []hunk) {
	head := true
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@ "):
			head, list = false, append(list, hunk{})
		case strings.HasPrefix(line, "diff "):
			head = true
		case head:
		case line[0] == '+':
			list[len(list)-1].now += line[1:]
		case line[0] == '-':
			list[len(list)-1].was += line[1:]
		case line[0] == ' ':
			list[len(list)-1].now += line[1:]
			list[len(list)-1].was += line[1:]
		}
	}
	return list
}
