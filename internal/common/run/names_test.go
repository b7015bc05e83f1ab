package run

import (
	"path/filepath"
	"regexp"
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
