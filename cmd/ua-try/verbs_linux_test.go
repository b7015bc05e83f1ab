package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/test/trytest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
	"ua/internal/common/tree"
)

// The verbs in this process, on tries whose layers are written by hand: nothing is mounted.

// said runs a command line of ua-try and returns what it printed and its status.
func said(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	dir := t.TempDir()
	var files [2]*os.File
	for i := range files {
		f, err := os.Create(filepath.Join(dir, []string{"out", "err"}[i]))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = f
	}
	env := &prog.Env{Name: "ua-try", Args: args, Stdout: files[0], Stderr: files[1]}
	status = env.Report(run(env))
	var text [2]string
	for i, f := range files {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		text[i] = string(b)
		f.Close()
	}
	return text[0], text[1], status
}

// desk is a try of the folder work/, which is the test's working folder.
func desk(t *testing.T, before, upper string) *trytest.Desk {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := trytest.New(t, t.TempDir(), work, before, upper)
	t.Chdir(d.Work)
	return d
}

// TestStates: ls tells how far a try has come.
func TestStates(t *testing.T) {
	holding := func(d *trytest.Desk) {
		lock, err := d.Try.Lock()
		if err != nil {
			d.Fatal(err)
		}
		d.Cleanup(func() { lock.Close() })
	}
	must := func(d *trytest.Desk, args ...string) {
		if _, text, status := said(d.T, args...); status != 0 {
			d.Fatalf("%q: %d, %s", args, status, text)
		}
	}
	rename := func(d *trytest.Desk, from, to landing.State) {
		dir := d.Try.Path(try.LandingDir)
		if err := os.Rename(dir+"/1."+string(from)+".jsonl", dir+"/1."+string(to)+".jsonl"); err != nil {
			d.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, upper string
		then        func(*trytest.Desk)
		state       string
		files       string
	}{
		{"kept", "a two\nn new", func(*trytest.Desk) {}, "kept", "2 files changed"},
		{"empty", "", func(*trytest.Desk) {}, "empty", ""},
		{"folders alone", "d/", func(*trytest.Desk) {}, "kept", "1 folder changed"},
		{"applied", "a two", func(d *trytest.Desk) { must(d, "apply") }, "applied", "1 file changed"},
		{"partly", "a two\nn new", func(d *trytest.Desk) { must(d, "apply", "last", "a") }, "partly",
			"2 files changed"},
		{"taken back", "a two", func(d *trytest.Desk) { must(d, "apply"); must(d, "undo") }, "kept",
			"1 file changed"},
		{"running", "a two", holding, "running", "1 file changed"},
		{"cut apply", "a two", func(d *trytest.Desk) {
			must(d, "apply")
			rename(d, landing.Applied, landing.Applying)
		}, "cut", "1 file changed"},
		{"cut undo", "a two", func(d *trytest.Desk) {
			must(d, "apply")
			rename(d, landing.Applied, landing.Undoing)
		}, "cut", "1 file changed"},
		// an apply that another process is doing is not one that was killed
		{"being applied", "a two", func(d *trytest.Desk) {
			must(d, "apply")
			rename(d, landing.Applied, landing.Applying)
			holding(d)
		}, "running", "1 file changed"},
		{"a broken manifest", "a two", func(d *trytest.Desk) {
			os.WriteFile(d.Try.Path(try.ManifestFile), []byte("{\n"), 0o600)
		}, "broken", ""},
		{"a broken plan", "a two", func(d *trytest.Desk) {
			must(d, "apply")
			os.WriteFile(d.Try.Path(try.LandingDir)+"/2.applied.jsonl", []byte("{}\n"), 0o600)
		}, "broken", "1 file changed"},
		{"the folder is gone", "a two", func(d *trytest.Desk) { os.RemoveAll(d.Work) }, "broken", ""},
	} {
		d := desk(t, "a one", c.upper)
		c.then(d)
		out, text, status := said(t, "ls")
		fields := strings.SplitN(strings.TrimSpace(out), "  ", 2)
		line := strings.Join(strings.Fields(out), " ")
		want := strings.TrimSpace(strings.Join(strings.Fields(c.state+" "+c.files), " "))
		if status != 0 || fields[0] != d.Try.ID || !strings.Contains(line, " "+want+" "+d.Work+" test") {
			t.Errorf("%s: %d %q %s; want %s", c.name, status, out, text, want)
		}
		// drop leaves no half of an apply in the folder
		_, text, status = said(t, "drop")
		switch c.state {
		case "cut":
			if status != prog.No || !strings.Contains(text, "ua-try apply "+d.Try.ID+" finishes it") {
				t.Errorf("%s: drop: %d %s", c.name, status, text)
			}
		case "running":
			if status != prog.TryLater || !strings.Contains(text, "in use") {
				t.Errorf("%s: drop: %d %s", c.name, status, text)
			}
		default:
			if _, err := os.Lstat(d.Try.Dir); status != 0 || err == nil {
				t.Errorf("%s: drop: %d %s", c.name, status, text)
			}
		}
	}
}

// TestListJSON: what ls --json has of a try.
func TestListJSON(t *testing.T) {
	d := desk(t, "a one", "a two\nd/")
	d.Try.Command, d.Try.Title = []tree.Name{"sh", "a\xff"}, "the\ntitle"
	began := time.Now().Add(-90 * time.Minute)
	d.Try.Began = tree.Stamp(began.UnixNano())
	if err := d.Try.Save(); err != nil {
		t.Fatal(err)
	}
	decode := func() (l listed) {
		t.Helper()
		out, text, status := said(t, "ls", "--json", "last")
		if err := json.Unmarshal([]byte(out), &l); err != nil || status != 0 ||
			strings.Count(out, "\n") != 1 {
			t.Fatalf("%d %q %s %v", status, out, text, err)
		}
		return l
	}
	l := decode()
	if l.ID != d.Try.ID || string(l.Dir) != d.Try.Dir || string(l.Cwd) != d.Work ||
		l.State != "kept" || len(l.Command) != 2 || l.Command[1] != "a\xff" ||
		l.Title != "the\ntitle" || l.Status != nil || l.Files != 1 || l.Folders != 1 ||
		l.Began != d.Try.Began || l.Network != nil || l.Outside != nil {
		t.Errorf("%+v", l)
	}
	err := d.Try.Finish(try.End{Status: 0, Network: []string{"h:1"}, Outside: []string{"/x"}})
	if l := decode(); err != nil || l.Status == nil || *l.Status != 0 || l.Network[0] != "h:1" ||
		l.Outside[0] != "/x" {
		t.Errorf("%+v %v", l, err)
	}
	if out, _, _ := said(t, "ls"); !strings.Contains(out, "    1h  kept ") ||
		!strings.HasSuffix(out, "  the; title\n") {
		t.Errorf("%q", out)
	}
}

// TestDiffForms shows one try in each form of diff.
func TestDiffForms(t *testing.T) {
	long := strings.Repeat("text of a file that moves.", 20)
	d := desk(t, "a one\nold "+long+"\nd/in three\nsame four\nmode five",
		"a two\nold !\nnew "+long+"\nn/f new\nd !\nsame four\nmode five\nl -> a\nm six\nz =m")
	for name, mode := range map[string]os.FileMode{"mode": 0o600, "n": 0o700} {
		if err := os.Chmod(filepath.Join(d.Try.Upper(0), name), mode); err != nil {
			t.Fatal(err)
		}
	}
	out, text, status := said(t, "diff", "--name-status")
	want := "M\ta\nD\td/in\nA\tl\nA\tm\nA\tn/f\nR\told -> new\nA\tz\nD\td\nM\tmode\nA\tn\nt\tsame\n"
	if status != 0 || out != want {
		t.Errorf("--name-status: %d %s\n%s", status, text, out)
	}
	for args, want := range map[string][]string{
		"": {"-one\n+two\n", "similarity index 100%\nrename from old\nrename to new\n",
			"new file mode 120000", "# d: folder deleted\n", "# mode: mode 0644 -> 0600\n",
			"# n: new folder, mode 0700\n"},
		"--stat":   {" a ", "old => new", " 1 +\n", " files changed, "},
		"last a":   {"-one\n+two\n"},
		"a":        {"-one\n+two\n"},
		"./n":      {"+++ b/n/f", "# n: new folder"},
		d.Work:     {"-one\n", "# d:"},
		"--stat a": {" 1 file changed, 1 insertion(+), 1 deletion(-)\n"},
	} {
		out, text, status := said(t, append([]string{"diff"}, strings.Fields(args)...)...)
		for _, w := range want {
			if status != 0 || !strings.Contains(out, w) {
				t.Errorf("diff %s: %d %s, no %q in\n%s", args, status, text, w, out)
			}
		}
		if strings.HasSuffix(args, "a") && strings.Contains(out, "old") {
			t.Errorf("diff %s: others too:\n%s", args, out)
		}
	}
	for args, want := range map[string]string{
		"--stat --name-status": "contradict each other", "--json --stat": "contradict each other",
		"nowhere": "neither a try nor a path that " + d.Try.ID + " changed",
		"a b":     "neither a try nor a path", "same/x": "neither a try nor a path",
		"20990101-000000-abcdef": "no such try", d.Try.Dir + "x": "no try",
		"--nosuch": `unknown option "--nosuch"`,
	} {
		if _, text, status := said(t, append([]string{"diff"}, strings.Fields(args)...)...); status !=
			prog.Trouble || !strings.Contains(text, want) {
			t.Errorf("diff %s: %d %s", args, status, text)
		}
	}
}

// TestDiffJSON: the manifest's lines with absolute paths, which the manual describes.
func TestDiffJSON(t *testing.T) {
	d := desk(t, "a one\nb two", "a three\nb !\nm six\nz =m")
	d.Edit(d.Work, "b four")
	out, text, status := said(t, "diff", "--json")
	if status != 0 {
		t.Fatal(text)
	}
	var got []string
	for line := range strings.Lines(out) {
		var e manifest.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		text := string(e.Status) + " " + strings.TrimPrefix(string(e.Path), d.Work+"/")
		if e.Raced {
			text += " raced"
		}
		if (e.Before == nil) != (e.Status == "A") || (e.After == nil) != (e.Status == "D") {
			t.Errorf("sides of %s", line)
		}
		got = append(got, text)
	}
	if got := strings.Join(got, ", "); got != "t "+d.Work+", M a, D b raced, A m, A z" &&
		got != "M a, D b raced, A m, A z" && got != "t "+d.Work+" raced, M a, D b raced, A m, A z" {
		t.Errorf("%s", got)
	}
}

// TestWithoutGit: two forms do without git.
func TestWithoutGit(t *testing.T) {
	d := desk(t, "old one", "old !\nnew one")
	t.Setenv("PATH", t.TempDir())
	for args, want := range map[string]string{
		"diff": "git is not installed\n" +
			"ua-try: hint: diff --name-status and diff --json do without\n",
		"diff --stat": "git is not installed",
	} {
		if _, text, status := said(t, strings.Fields(args)...); status != prog.Trouble ||
			!strings.Contains(text, want) {
			t.Errorf("%s: %d %s", args, status, text)
		}
	}
	out, text, status := said(t, "diff", "--name-status")
	if status != 0 || out != "A\tnew\nD\told\n" {
		t.Errorf("%d %q %s", status, out, text)
	}
	if out, text, status := said(t, "diff", "--json", "old"); status != 0 ||
		!strings.Contains(out, `"path":"`+d.Work+`/old","status":"D"`) {
		t.Errorf("%d %q %s", status, out, text)
	}
}

// TestApplyTells: what apply and undo say and with which status they end.
func TestApplyTells(t *testing.T) {
	for _, c := range []struct {
		name, before, upper, since string
		args                       string
		status                     int
		stderr                     string // parts, divided by |
	}{
		{"one", "a one", "a two", "", "apply", 0, "ua-try: 1 file applied: ua-try undo takes it back\n"},
		{"several", "a one", "a two\nb new\nd/e/f x", "", "apply", 0, "3 files applied"},
		{"folders", "a one", "d/e/", "", "apply", 0, "2 folders applied"},
		{"times alone", "a one", "a one", "", "apply", 0, "times of files applied"},
		{"a path", "a one", "a two\nb new", "", "apply last b", 0, "1 file applied"},
		{"several paths", "a one", "a two\nb new\nc new", "", "apply a c", 0, "2 files applied"},
		{"a folder's", "", "d/a one\nd/b two\nc x", "", "apply d/", 0, "2 files applied"},
		{"nothing there", "a one", "a two", "", "apply c", 2, "c\": the try has no change there"},
		{"nothing", "a one", "", "", "apply", 1, ": nothing to apply\n"},
		{"not applied", "a one", "a two", "", "undo", 1, ": not applied\n"},
		{"paths of an undo", "a one", "a two", "", "undo last a", 2,
			"undo takes back a whole try, and no paths alone"},
		{"no such try", "a one", "a two", "", "apply 20200101-000000-aaaaaa", 2,
			"no such try|hint: ua-try ls"},
		{"a conflict", "a one", "a two", "a three!", "apply", 1, "/a: changed since\n|" +
			"in the folder: file of 7 bytes, mode 0644, of 2|in the try:    file of 4 bytes, mode 0644|" +
			": nothing was applied: 1 conflict\n|PATH compares the two; ua-try apply --force "},
		{"two conflicts", "a one\nb one", "a two\nb two", "a three\nb three", "apply", 1,
			"/b: changed|: 2 conflicts\n"},
		{"deleted since", "a one", "a two", "a !", "apply", 1, "in the folder: nothing\n"},
		{"deleted in the try", "a one", "a !", "a three", "apply", 1, "in the try:    nothing\n"},
		{"a link since", "a one", "a two", "a !\na -> x", "apply", 1,
			`in the folder: link to "x"` + "\n"},
		{"a folder since", "", "a two", "a/", "apply", 1, "in the folder: folder, mode 0755, of "},
		{"forced", "a one", "a two", "a three", "apply --force", 0, "1 file applied"},
		{"a conflict elsewhere", "a one\nb one", "a two\nb two", "a three", "apply b", 0,
			"1 file applied"},
		{"an option that is none", "", "", "", "apply --foce", 2, "did you mean --force?"},
		{"an operand of --force", "", "", "", "apply --force=x", 2,
			`--force: bad value "x": want true or false`},
	} {
		d := desk(t, c.before, c.upper)
		if c.since != "" {
			if _, err := manifest.Load(d.Try); err != nil { // the command has ended
				t.Fatal(err)
			}
			d.Tick()
			d.Edit(d.Work, c.since)
		}
		was := d.Lines()
		out, text, status := said(t, strings.Fields(c.args)...)
		if status != c.status || out != "" {
			t.Errorf("%s: %d %q %s", c.name, status, out, text)
		}
		for part := range strings.SplitSeq(c.stderr, "|") {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %s", c.name, part, text)
			}
		}
		if status != 0 && d.Lines() != was {
			t.Errorf("%s: %s becomes %s", c.name, was, d.Lines())
		}
		if status != 0 {
			continue
		}
		if _, text, status := said(t, "undo"); status != 0 || !strings.Contains(text, " taken back\n") ||
			d.Lines() != was {
			t.Errorf("%s: undo: %d %s %s", c.name, status, text, d.Lines())
		}
	}
}

// TestUndoTells: a conflict of an undo has its own words, and --force keeps what was there.
func TestUndoTells(t *testing.T) {
	d := desk(t, "a one", "a two")
	if _, text, status := said(t, "apply"); status != 0 {
		t.Fatal(text)
	}
	d.Tick()
	d.Edit(d.Work, "a mine")
	_, text, status := said(t, "undo")
	for _, want := range []string{
		"/a: changed since", "nothing was taken back: 1 conflict",
		"ua-try undo --force " + d.Try.ID +
			" puts back what was there; what is there now is kept in the try",
	} {
		if status != prog.No || !strings.Contains(text, want) {
			t.Errorf("%d, no %q in %s", status, want, text)
		}
	}
	if _, text, status := said(t, "undo", "--force"); status != 0 || d.Lines() != "a one" {
		t.Errorf("%d %s %s", status, text, d.Lines())
	}
	kept := false
	filepath.WalkDir(d.Try.Dir, func(path string, _ os.DirEntry, _ error) error {
		text, _ := os.ReadFile(path)
		kept = kept || string(text) == "mine\n"
		return nil
	})
	if !kept {
		t.Error("what the undo went over is not in the try")
	}
}

// TestFinishedBefore: an apply that was killed is finished by another, which says so.
func TestFinishedBefore(t *testing.T) {
	d := desk(t, "a one\nb one", "a two\nb two")
	if _, text, status := said(t, "apply", "a"); status != 0 {
		t.Fatal(text)
	}
	dir := d.Try.Path(try.LandingDir)
	if err := os.Rename(dir+"/1.applied.jsonl", dir+"/1.applying.jsonl"); err != nil {
		t.Fatal(err)
	}
	_, text, status := said(t, "apply")
	if status != 0 || !strings.Contains(text, d.Try.ID+": finished what was interrupted before") ||
		d.Lines() != "a two, b two" {
		t.Errorf("%d %s %s", status, text, d.Lines())
	}
	if _, text, status := said(t, "undo"); status != 0 || d.Lines() != "a one, b one" {
		t.Errorf("%d %s %s", status, text, d.Lines())
	}
}

// TestPrune: an apply drops applied tries by age and by size, oldest first, as [try] says.
func TestPrune(t *testing.T) {
	state, config := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	if err := os.Mkdir(config+"/ua", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, settings string
		aged           int // how many of the applied ones were applied two weeks ago
		left           string
		stderr         string
	}{
		{"none is old", "", 0, "old1 old2 kept last", ""},
		{"a week", "", 1, "old2 kept last", ""},
		{"two weeks are short", "keep = \"400h\"", 2, "old1 old2 kept last", ""},
		{"a minute", "keep = \"1ns\"", 0, "kept last", ""},
		{"all but one are too large", "keep_size = \"1K\"", 0, "kept last", ""},
		{"a bad setting drops none", "keep = 5", 2, "old1 old2 kept last", "config.toml"},
		{"an unknown one neither", "kep = \"1h\"", 2, "old1 old2 kept last", "did you mean"},
	} {
		path := filepath.Join(config, "ua/config.toml")
		if err := os.WriteFile(path, []byte("[try]\n"+c.settings+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		tries := map[string]string{}
		for i, name := range []string{"old1", "old2", "kept", "last"} {
			d := trytest.New(t, state, t.TempDir(), "", "a "+strings.Repeat("x", 5000))
			tries[d.Try.Dir] = name
			time.Sleep(2 * time.Millisecond) // IDs sort by it
			if name == "kept" {
				continue
			}
			lock, err := d.Try.Lock()
			if err == nil && name != "last" {
				_, err = landing.Apply(d.Try, landing.Order{Paths: nil, Force: false}, t.Logf)
			}
			if err != nil {
				t.Fatal(err)
			}
			lock.Close()
			if i < c.aged {
				then := time.Now().Add(-14 * 24 * time.Hour)
				os.Chtimes(d.Try.Path(try.LandingDir), then, then)
			}
		}
		_, text, status := said(t, "apply")
		if status != 0 || !strings.Contains(text, c.stderr) ||
			c.stderr == "" && strings.Count(text, "\n") != 1 {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
		var left []string
		list, err := try.List()
		for _, one := range list {
			left = append([]string{tries[one.Dir]}, left...)
			if err := one.Drop(); err != nil {
				t.Error(err)
			}
		}
		if got := strings.Join(left, " "); err != nil || got != c.left {
			t.Errorf("%s: %q is left, want %q; %v", c.name, got, c.left, err)
		}
	}
}

// TestPainter: on a terminal nothing of a file drives it, and lines have git's colours; in
// whatever pieces they come.
func TestPainter(t *testing.T) {
	const text = "diff --git a/x b/x\n@@ -1 +1 @@\n-old\x1b[2J\n+new\r\n same\n\n# note\nlast"
	for _, c := range []struct {
		tty  bool
		want string
	}{
		{false, text},
		{true, "diff --git a/x b/x\n@@ -1 +1 @@\n-old^[[2J\n+new^M\n same\n\n# note\nlast"},
	} {
		for _, size := range []int{1, 3, 1000} {
			var out strings.Builder
			p := &painter{w: &out, tty: c.tty}
			for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
				part := rest[:min(size, len(rest))]
				if n, err := p.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := p.flush(); err != nil || out.String() != c.want {
				t.Errorf("tty %v, pieces of %d: %q %v", c.tty, size, out.String(), err)
			}
		}
	}
	for line, code := range map[string]string{"+a": "32", "-a": "31", "@@ a": "36", "diff a": "1",
		"deleted": "1", " a": "", "# a": ""} {
		p := &painter{tty: true, style: true}
		if got := p.paint(line); code == "" && got != line || code != "" &&
			!strings.HasPrefix(got, "\x1b["+code+"m"+line) {
			t.Errorf("%q: %q", line, got)
		}
	}
}
