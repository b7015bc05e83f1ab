package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/internal/common/prog"
)

// TestDone has what was done in a person's words.
func TestDone(t *testing.T) {
	for want, r := range map[string]landing.Result{
		"1 file applied": {Files: 1}, "2 files applied": {Files: 2, Folders: 7},
		"1 folder applied": {Folders: 1}, "3 folders applied": {Folders: 3},
		"times of files applied": {},
	} {
		if got := outcome(r, "applied"); got != want {
			t.Errorf("%+v: %q", r, got)
		}
	}
}

// TestConflictTold has both sides of a conflict, who made the other one, and what to do.
func TestConflictTold(t *testing.T) {
	d := desk(t, "a one\nb two", "a three\nb four")
	if _, err := manifest.Load(d.Try); err != nil { // the command has ended
		t.Fatal(err)
	}
	d.Edit(d.Work, "a five5\nb !")
	_, text, status := said(t, "apply")
	for _, want := range []string{d.Work + "/a: changed since\n",
		"in the folder: file of 6 bytes, mode 0644",
		"in the try:    file of 6 bytes", d.Work + "/b: changed since\n", "in the folder: nothing",
		d.Try.ID + ": nothing was applied: 2 conflicts\n", "hint: ua-try diff " + d.Try.ID +
			" PATH compares the two; ua-try apply --force " + d.Try.ID} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if status != prog.No {
		t.Errorf("status %d", status)
	}
	if _, text, status := said(t, "apply", "--force"); status != 0 || !strings.Contains(text,
		"2 files applied") {
		t.Fatalf("forced: %d, %s", status, text)
	}
	d.Tick()
	d.Edit(d.Work, "a six")
	if _, text, status := said(t, "undo"); status != prog.No || !strings.Contains(text,
		"nothing was taken back: 1 conflict\n") || !strings.Contains(text,
		"ua-try undo --force "+d.Try.ID) {
		t.Errorf("undo: %d, %s", status, text)
	}
	if _, text, status := said(t, "undo", "--force"); status != 0 || d.Lines() != "a five5" {
		t.Errorf("undo --force: %d, %s; %s", status, text, d.Lines())
	}
}

// TestWrongOperands has each verb refuse what it can't be about, and change nothing.
func TestWrongOperands(t *testing.T) {
	d := desk(t, "a one", "a two\nd/b three")
	for line, want := range map[string]string{
		"undo a":                               "undo takes back a whole try, and no paths alone",
		"undo":                                 d.Try.ID + ": not applied",
		"undo nowhere":                         "undo takes back a whole try, and no paths alone",
		"apply nowhere":                        `"` + d.Work + `/nowhere"`,
		"apply ../outside":                     "outside",
		"apply --force --json":                 "json",
		"diff --stat --json":                   "contradict each other",
		"diff nowhere":                         `/nowhere": neither a try nor a path that`,
		"diff --name-status d/c":               `/d/c": neither a try nor a path that`,
		"drop nowhere":                         `"nowhere": no such try`,
		"drop --force":                         "force",
		"ls nowhere":                           `"nowhere": no such try`,
		"ls --name-status":                     "name-status",
		"aply":                                 "did you mean apply",
		"apply --skip-refused --allow-refused": "contradict each other",
	} {
		out, text, status := said(t, strings.Fields(line)...)
		if status == 0 || out != "" || !strings.Contains(text, want) || strings.Contains(text,
			"goroutine") {
			t.Errorf("%s: %d, %q, %s", line, status, out, text)
		}
		if d.Lines() != "a one" {
			t.Fatalf("%s has changed: %s", line, d.Lines())
		}
	}
	if _, err := os.Stat(filepath.Join(d.Try.Dir, "try.json")); err != nil {
		t.Errorf("the try: %v", err)
	}
}
