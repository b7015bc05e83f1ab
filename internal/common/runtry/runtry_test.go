package runtry

import (
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
	"ua/internal/test/scripttest"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want Try
		size string
	}{
		{`{"id":"a1","files":2,"folders":1,"state":"open"}`, Try{ID: "a1", Files: 2, Folders: 1},
			"2 files"},
		{`{"id":"a1","state":"kept"}`, Try{ID: "a1", Kept: true}, ""},
		{`{"id":"a1","folders":1}`, Try{ID: "a1", Folders: 1}, "1 folder"},
		{`{"id":"a1","state":"empty"}`, Try{ID: "a1", Empty: true}, ""},
		{`{"id":"a1","files":1,"network":["h:443","x:80"],"outside":["/tmp/a"]}`,
			Try{ID: "a1", Files: 1, Network: "h:443, x:80", Outside: "/tmp/a"}, "1 file"},
		{`{"network":"h","files":"many","outside":{}}`, Try{Network: "h", Outside: "{}"}, ""},
		{"", Try{}, ""},
		{"not json", Try{}, ""},
	} {
		got := parse([]byte(c.line), "")
		if *got != c.want || got.Size() != c.size {
			t.Errorf("%s: %+v, %q", c.line, got, got.Size())
		}
	}
}

func TestAddTo(t *testing.T) {
	for _, c := range []struct {
		trial           *Try
		summary, result string
	}{
		{nil, `{"type":"summary"}`, `{"type":"summary"}`},
		{&Try{ID: "a1", Files: 2, Applied: true}, `{"type":"summary"}`,
			`{"type":"summary","try":{"applied":true,"files":2,"id":"a1"}}`},
	} {
		if got := string(c.trial.AddTo([]byte(c.summary))); got != c.result {
			t.Error(got)
		}
	}
}

// Where there is no try, or no ua-try, there is nothing to say.
func TestNone(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if found := Of(run.Run{Dir: t.TempDir()}); found != nil {
		t.Errorf("%+v", found)
	}
}

// TestApply: only what ua-try has applied is said to be; what it ends with otherwise, or that
// it could not be run at all, is the status, with the words for it.
func TestApply(t *testing.T) {
	for _, c := range []struct {
		script  string // "" for no ua-try
		status  int
		applied bool
		trouble string
	}{
		{"echo done >&2", 0, true, ""},
		{"echo 'ua-try: /w/a: changed since' >&2; exit 1", 1, false, "ua-try: /w/a: changed since"},
		{"exit 75", 75, false, ""},
		{"echo words >&2; kill -9 $$", 137, false, "words"},
		{"kill -TERM $$", 143, false, "ua-try: signal: terminated"},
		{"", prog.NotFound, false, "ua-try: not found"},
	} {
		dir, own := t.TempDir(), t.TempDir()
		t.Setenv("TMPDIR", own) // a program there is not run
		t.Setenv("PATH", dir)
		if c.script != "" {
			text := "#!/bin/sh\n[ \"$1 $2\" = 'apply /runs/a/try' ] || exit 99\n" + c.script + "\n"
			scripttest.WriteProgram(t, filepath.Join(dir, "ua-try"), []byte(text))
		}
		tr := &Try{Link: Link(run.Run{Dir: "/runs/a"})}
		if status := tr.Apply(); status != c.status || tr.Applied != c.applied ||
			!strings.Contains(tr.Trouble, c.trouble) || (tr.Trouble == "") != (c.trouble == "") {
			t.Errorf("%q: status %d, %+v", c.script, status, tr)
		}
	}
}

// FuzzParse: whatever a line says, the numbers are those of files, and what a person is told is
// one line that drives no terminal.
func FuzzParse(f *testing.F) {
	f.Add(`{"id":"a1","files":2,"folders":1,"state":"kept","network":["h:443"],` +
		`"outside":["/tmp/a\nb"]}`)
	f.Add(`{"id":{"a":[1]},"files":-5,"network":{"a":"\u001b[2J"},"outside":[["x"],null,1e400]}`)
	f.Fuzz(func(t *testing.T, line string) {
		got := parse([]byte(line), "link")
		if got.Link != "link" || got.Applied || got.Trouble != "" {
			t.Fatalf("%+v", got)
		}
		for _, text := range []string{got.Network, got.Outside} {
			shown := style.FirstLine(text, 600)
			if strings.ContainsAny(shown, "\n\r\x1b") || len(shown) > 700*6 {
				t.Fatalf("%q is shown as %q", text, shown)
			}
		}
		size := got.Size()
		if (size == "") != (got.Files <= 0 && got.Folders <= 0) || strings.HasPrefix(size, "-") {
			t.Fatalf("%+v: %q", got, size)
		}
	})
}
