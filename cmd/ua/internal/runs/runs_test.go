package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/run"
	"ua/internal/common/scripttest"
)

func write(t testing.TB, dir, text string) run.Run {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := run.Run{ID: filepath.Base(dir), Dir: dir}
	if err := os.WriteFile(r.Journal(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

const begun = `{"type":"run","ts":"2026-01-02T03:04:05.000Z","id":"a","parent":"p","depth":1,"task":"t","agent":"explore"}` + "\n" + `{"type":"turn","n":1}` + "\n"

func TestStates(t *testing.T) {
	for _, c := range []struct{ text, state string }{
		{begun, Failed},
		{begun + `{"type":"summary","exit_code":0}` + "\n", Completed},
		{begun + `{"type":"summary","exit_code":1}` + "\n", Failed},
		{begun + `{"type":"summary","exit_code":124}` + "\n", Timeout},
		{begun + `{"type":"summary","exit_code":143}` + "\n", Cancelled},
		{begun + `{"type":"summary","exit_code":0}` + "\n" + `{"type":"instruction","text":"more"}` +
			"\n", Failed},
		{begun + `{"type":"summary","exit_code":0}` + "\n" + `{"torn`, Completed},
		{"", Failed}, {"junk\n", Failed},
	} {
		if got := Read(write(t, filepath.Join(t.TempDir(), "a"), c.text)); got.State != c.state {
			t.Errorf("%q: %s, want %s", c.text, got.State, c.state)
		}
	}
	i := Read(write(t, filepath.Join(t.TempDir(), "a"), begun))
	if i.Parent != "p" || i.Depth != 1 || i.Task != "t" || i.Agent != "explore" || i.Turns != 1 ||
		i.Started.Year() != 2026 {
		t.Errorf("%+v", i)
	}
}

// TestHostileJournals reads what a command may have put in a journal's place, and
// comes back at once.
func TestHostileJournals(t *testing.T) {
	dir := t.TempDir()
	endless := write(t, filepath.Join(dir, "endless"), begun)
	if err := os.Truncate(endless.Journal(), 1<<40); err != nil {
		scripttest.Skip(t, scripttest.Refused, "such a large file has no room here: %v", err)
	}
	f, _ := os.OpenFile(endless.Journal(), os.O_WRONLY|os.O_APPEND, 0)
	fmt.Fprintln(f, "\n"+`{"type":"summary","exit_code":0}`)
	f.Close()
	if i := Read(endless); i.State != Completed || i.Task != "t" {
		t.Errorf("%+v", i)
	}
	fifo := run.Run{ID: "fifo", Dir: filepath.Join(dir, "fifo")}
	os.Mkdir(fifo.Dir, 0o700)
	syscall.Mkfifo(fifo.Journal(), 0o600)
	syscall.Mkfifo(filepath.Join(fifo.Dir, LockFile), 0o600)
	link := run.Run{ID: "link", Dir: filepath.Join(dir, "link")}
	os.Mkdir(link.Dir, 0o700)
	os.Symlink("/dev/zero", link.Journal())
	for _, r := range []run.Run{fifo, link} {
		if i := Read(r); i.Live() || i.Task != "" {
			t.Errorf("%+v", i)
		}
	}
	os.Symlink(dir, filepath.Join(endless.Dir, run.SubFolder))
	if list, err := List(dir); len(list) != 3 || err != nil || len(list[0].Children) != 0 {
		t.Errorf("%d runs, %v", len(list), err)
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"20260101-000000-aaaaaa", "20260102-000000-bbbbbb",
		"20260101-000000-aaaaaa/sub/20260101-000001-cccccc"} {
		write(t, filepath.Join(dir, id), begun)
	}
	for name, want := range map[string]string{
		"20260101-000000-aaaaaa": "20260101-000000-aaaaaa", "bbbbbb": "20260102-000000-bbbbbb",
		"cccccc":   "20260101-000001-cccccc",
		"20260102": "20260102-000000-bbbbbb", "last": "20260102-000000-bbbbbb", "20260101": "", "": "",
		"nope": "",
		filepath.Join(dir, "20260102-000000-bbbbbb"): "20260102-000000-bbbbbb", "/etc/": "", "../..": "",
	} {
		if r, err := Find(dir, name); r.ID != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", name, r.ID, err)
		}
	}
}

// TestFindShadowed finds the run itself where a newer one's commands have made a
// subagent's of the same ID.
func TestFindShadowed(t *testing.T) {
	dir, id := t.TempDir(), "20260101-000000-aaaaaa"
	for _, d := range []string{id, "20260102-000000-bbbbbb/sub/" + id, "20260102-000000-bbbbbb"} {
		write(t, filepath.Join(dir, d), begun)
	}
	if r, err := Find(dir, id); err != nil || r.Dir != filepath.Join(dir, id) {
		t.Errorf("%q, %v", r.Dir, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(begun + `{"type":"summary","exit_code":0,"ts":"x"}`)
	f.Add(`{"type":"run","task":1,"depth":"x"}` + "\n" + `{"type":"tool_result","status":"denied"}` +
		"\n")
	f.Fuzz(func(t *testing.T, text string) {
		i := Read(write(t, filepath.Join(t.TempDir(), "a"), text))
		if i.Live() || i.Took(time.Now()) < 0 && i.Ended.After(i.Started) || len(i.Marks) > marksMax+8 {
			t.Errorf("%q: %+v", text, i)
		}
	})
}
