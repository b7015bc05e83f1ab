package run

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPlaces: where the manuals say that the files are: ua-journal(1), ENVIRONMENT and FILES.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ home, state, runDir, root, parent string }{
		{"/h", "", "", "/h/.local/state/ua/runs", "/h/.local/state/ua/runs"},
		{"/h", "/s", "", "/s/ua/runs", "/s/ua/runs"},
		{"/h", "relative", "", "/h/.local/state/ua/runs", "/h/.local/state/ua/runs"},
		{"/h", "/s", "/s/ua/runs/A", "/s/ua/runs", "/s/ua/runs/A/sub"},
		{"/h", "/s", "relative/A", "/s/ua/runs", "/s/ua/runs"},
	} {
		t.Setenv("HOME", c.home)
		t.Setenv("XDG_STATE_HOME", c.state)
		t.Setenv(EnvDir, c.runDir)
		if Root() != c.root || Parent() != c.parent ||
			filepath.Dir(SandboxNotes()) != filepath.Dir(c.root) {
			t.Errorf("%+v: %s %s %s", c, Root(), Parent(), SandboxNotes())
		}
	}
	r := Run{ID: "A", Dir: "/s/ua/runs/A"}
	if r.Journal() != "/s/ua/runs/A/journal.jsonl" {
		t.Error(r.Journal())
	}
}

// TestIDs: an ID is a time and six digits more, and is a name of a folder in every language.
func TestIDs(t *testing.T) {
	form := regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{6}$`)
	seen := map[string]int{}
	for range 200 {
		id := NewID()
		if !form.MatchString(id) || !printable(id) || !filepath.IsLocal(id) {
			t.Fatal(id)
		}
		seen[id]++
	}
	if len(seen) < 150 {
		t.Errorf("%d of 200 differ", len(seen))
	}
	dir := t.TempDir()
	made := map[string]bool{}
	for range 300 { // of two in a millisecond with the same chance, one takes another
		r, err := New(dir)
		if err != nil || made[r.ID] || filepath.Dir(r.Dir) != dir {
			t.Fatalf("%+v %v", r, err)
		}
		made[r.ID] = true
	}
	if list, err := List(dir); err != nil || len(list) != 300 {
		t.Errorf("%d runs, %v", len(list), err)
	}
}

// TestNamed: "by its ID, by the start or the last part of an ID that only one run has".
func TestNamed(t *testing.T) {
	var runs []Run
	for _, id := range []string{
		"20260102-030405-abcdef", "20260102-030405-abcfff", "20260202-030405-abcdef", "own", "own-2",
	} {
		runs = append(runs, Run{ID: id})
	}
	for name, want := range map[string]int{
		"20260102-030405-abcdef": 1, "20260102": 2, "202601": 2, "20260202": 1,
		"abcdef": 2, "abcfff": 1, "fff": 0, "030405-abcfff": 1,
		"own": 1, "ow": 2, "2": 4, "": 0, "-": 0, "*": 0,
		"20260102-030405-abcdefg": 0, "20260102-030405-abcdef ": 0,
	} {
		found := Named(runs, name)
		r, err := Only(found, name, "the hint")
		if len(found) != want || (err == nil) != (want == 1) || want == 1 && r != found[0] {
			t.Errorf("%q: %v, %v", name, found, err)
		}
		if err != nil && !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%q: %v does not name it", name, err)
		}
	}
}
