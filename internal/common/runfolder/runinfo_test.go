package runfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/common/run"
	"ua/internal/test/scripttest"
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

const begun = `{"type":"run","ts":"2026-01-02T03:04:05.000Z","id":"a","parent":"p","depth":1,` +
	`"task":"t","agent":"explore"}` + "\n" + `{"type":"turn","n":1}` + "\n"

func TestStates(t *testing.T) {
	for _, c := range []struct{ text, state string }{
		{begun, run.Failed},
		{begun + `{"type":"summary","exit_code":0}` + "\n", run.Completed},
		{begun + `{"type":"summary","exit_code":1}` + "\n", run.Failed},
		{begun + `{"type":"summary","exit_code":124}` + "\n", run.Timeout},
		{begun + `{"type":"summary","exit_code":143}` + "\n", run.Cancelled},
		{begun + `{"type":"summary","exit_code":0}` + "\n" + `{"type":"instruction","text":"more"}` +
			"\n", run.Failed},
		{begun + `{"type":"summary","exit_code":0}` + "\n" + `{"torn`, run.Completed},
		{"", run.Failed}, {"junk\n", run.Failed},
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
	for size, want := range map[int64][2]string{
		1 << 29: {run.Completed, "t"}, // of a long one the head and the tail tell the most
		1 << 40: {run.Failed, ""},     // a hole is no journal (package regular)
	} {
		r := write(t, filepath.Join(dir, fmt.Sprint(size)), begun)
		if err := os.Truncate(r.Journal(), size); err != nil {
			scripttest.Skip(t, scripttest.Refused, "such a large file has no room here: %v", err)
		}
		f, _ := os.OpenFile(r.Journal(), os.O_WRONLY|os.O_APPEND, 0)
		fmt.Fprintln(f, "\n"+`{"type":"summary","exit_code":0}`)
		f.Close()
		if i := Read(r); i.State != want[0] || i.Task != want[1] {
			t.Errorf("%d bytes: %+v", size, i)
		}
	}
	fifo := run.Run{ID: "fifo", Dir: filepath.Join(dir, "fifo")}
	os.Mkdir(fifo.Dir, 0o700)
	syscall.Mkfifo(fifo.Journal(), 0o600)
	syscall.Mkfifo(filepath.Join(fifo.Dir, LockFile), 0o600)
	link := run.Run{ID: "link", Dir: filepath.Join(dir, "link")}
	os.Mkdir(link.Dir, 0o700)
	os.Symlink("/dev/zero", link.Journal())
	future := run.Run{ID: "future", Dir: filepath.Join(t.TempDir(), "future")} // none that begins
	os.Mkdir(future.Dir, 0o700)
	at := time.Now().Add(10000 * time.Hour)
	os.Chtimes(future.Dir, at, at)
	for _, r := range []run.Run{fifo, link, future} {
		if i := Read(r); i.Live() || i.Task != "" {
			t.Errorf("%+v", i)
		}
	}
	os.Symlink(dir, filepath.Join(link.Dir, run.SubFolder))
	hasChildren := func(i *Info) bool { return len(i.Children) > 0 }
	if list, err := List(dir); len(list) != 4 || err != nil ||
		slices.ContainsFunc(list, hasChildren) {
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

// TestFindNoRun takes no other folder for a run, which would be written to.
func TestFindNoRun(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir := t.TempDir()
	young, kept := filepath.Join(dir, "20260101-000000-aaaaaa"), filepath.Join(dir, "kept")
	if err := os.Mkdir(young, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, kept, begun)
	for path, is := range map[string]bool{dir: false, young: true, kept: true,
		filepath.Join(kept, run.JournalFile): true} {
		if r, err := Find(run.Root(), path); (err == nil) != is {
			t.Errorf("%s: %v, %v", path, r, err)
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

const asked = `{"type":"model_request","agent":"a",` +
	`"usage":{"input":1,"cache_read":2,"output":3},"tool_calls":4}` + "\n"

// TestLedger has the journal at the top say what those below took, each name once and
// nearest the top, and the sum whatever the names are.
func TestLedger(t *testing.T) {
	dir := t.TempDir()
	other := strings.Replace(asked, `"agent":"a"`, `"agent":"gone"`, 1)
	for place, text := range map[string]string{
		"top": begun + asked + asked + other,
		"top/sub/a": begun + strings.Repeat(asked, 9) +
			`{"type":"response","usage":{"input":50}}`,
		"top/sub/0/sub/a":       begun,
		"top/sub/0":             begun + asked + `{"type":"response","usage":{"input":50}}`,
		"plain":                 begun,
		"plain/sub/a":           begun + asked + `{"type":"response","usage":{"input":50}}`,
		"plain/sub/a/sub/b":     begun + asked,
		"plain/sub/a/sub/plain": asked,
	} {
		write(t, filepath.Join(dir, place), text)
	}
	list, err := List(dir)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	plain, top := list[0], list[1]
	two := Spent{Requests: 2, Calls: 8, TokensIn: 6, TokensOut: 6}
	zero, a := top.Children[0], top.Children[1]
	if want := (Spent{3, 12, 9, 9, 0}); top.Claimed || top.Below() != want {
		t.Errorf("top: %+v", top.Below())
	}
	if a.Claimed || a.Spent != two || a.Tally.TokensIn != 6 || a.Behind() || a.Below() != (Spent{}) {
		t.Errorf("a: %+v", a)
	}
	if !zero.Claimed || zero.Spent != (Spent{}) || !zero.Behind() || zero.Tally.TokensIn != 50 ||
		!zero.Children[0].Claimed {
		t.Errorf("0: %+v", zero)
	}
	if plain.Claimed || plain.Below() != (Spent{}) || !plain.Children[0].Claimed {
		t.Errorf("plain: %+v", plain)
	}
	// From below it is the journal at the top that counts, too.
	if i, err := Tree(run.Run{ID: "a", Dir: filepath.Join(dir, "top/sub/a")}); err != nil ||
		i.Claimed || i.Spent != two {
		t.Errorf("%+v, %v", i, err)
	}
	if list, err := List(filepath.Join(dir, "top/sub")); err != nil || list[1].Spent != two {
		t.Errorf("%+v, %v", list, err)
	}
	left := int64(readMax)
	a1 := run.Run{ID: "a", Dir: filepath.Join(dir, "top/sub/a")}
	if i, err := Subagent(a1, nil, &left); err != nil || !i.Claimed || left >= readMax {
		t.Errorf("%+v, %v, %d bytes left", i, err, left)
	}
}

// TestForgedRuns fills the folders of subagents with runs that no record names: those that
// one names are found, of the others a few, and what is read is bounded.
func TestForgedRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "top")
	record := begun
	for n := range 1500 {
		id := fmt.Sprintf("20260101-000000-%06x", n)
		forged := write(t, filepath.Join(dir, "sub", id), begun)
		if n == 1499 || n == 700 {
			record += `{"type":"subagent","state":"start","id":"` + id + `"}` + "\n"
			record += `{"type":"subagent","state":"start","id":"../` + id + `"}` + "\n"
			for n := range 1500 {
				os.MkdirAll(filepath.Join(forged.Dir, "sub", fmt.Sprintf("20260102-000000-%06x", n)), 0o700)
			}
		}
	}
	i, err := Tree(write(t, dir, record))
	named := slices.DeleteFunc(slices.Clone(i.Children), func(c *Info) bool {
		return len(c.Children) == 0
	})
	if err != nil || !i.More || len(i.Children) != 2+strangersMax || len(named) != 2 ||
		len(named[0].Children) != strangersMax || !named[1].More {
		t.Errorf("%v, %d below, %d named", err, len(i.Children), len(named))
	}
	all, some := 0, 0
	if err := Each(filepath.Dir(dir), func(run.Run) { all++ }); err != nil || all != 4501 {
		t.Errorf("%d in all, %v", all, err)
	}
	if err := Some(filepath.Dir(dir), func(run.Run) { some++ }); err != nil || some != 1+belowMax {
		t.Errorf("%d of them, %v", some, err)
	}
	l := newLook(&Ledger{})
	l.bytes = 10
	if i, err := l.tree(run.Run{ID: "top", Dir: dir}); err != nil || i.Task != "t" || l.bytes != 0 {
		t.Errorf("%+v, %v", i, err)
	}
	if l.runs < 0 {
		t.Error("more was read than may be")
	}
}

// TestLedgerBounded keeps a number of names, and the sum of all.
func TestLedgerBounded(t *testing.T) {
	var l Ledger
	for n := range namesMax + 10 {
		l.Add(fmt.Appendf(nil, `{"type":"model_request","agent":"%d","usage":{"input":1}}`, n))
	}
	l.Add([]byte(`{"type":"model_request","agent":"0","usage":{"input":1e300,"cost_usd":-1}}`))
	l.Add([]byte(`{"type":"model_request","agent":"1","decision":"refused"}`))
	l.Add([]byte(`{"type":"response","usage":{"input":1}}`))
	if len(l.agents) != namesMax || l.All.Requests != namesMax+11 || l.All.TokensIn < 1e12 ||
		l.All.CostUSD != 0 || l.agents["1"].Requests != 1 {
		t.Errorf("%d names, %+v", len(l.agents), l.All)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(begun + `{"type":"summary","exit_code":0,"ts":"x"}`)
	f.Add(`{"type":"run","task":1,"depth":"x"}` + "\n" + `{"type":"tool_result","status":"denied"}` +
		"\n")
	f.Add(asked + `{"type":"model_request","agent":7,"usage":{"input":"x","cost_usd":1e999}}` + "\n" +
		`{"type":"response","usage":{"input":-9e18,"output":9e18,"cost_usd":"NaN"}}` + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		i := Read(write(t, filepath.Join(t.TempDir(), "a"), text))
		cost := i.Tally.CostUSD + i.Below().CostUSD
		if i.Live() || i.Took(time.Now()) < 0 || len(i.Marks) > marksMax+8 ||
			i.Tally.TokensIn < 0 || i.Below().Tokens() < 0 || cost < 0 || cost != cost || cost > 1e18 {
			t.Errorf("%q: %+v", text, i)
		}
	})
}
