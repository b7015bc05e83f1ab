package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/journal"
)

// written writes a journal of lines and returns its path and what stands in it.
func written(t testing.TB, lines ...string) (path string, text []byte) {
	t.Helper()
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	path = filepath.Join(dir, "j.jsonl")
	w, err := OpenWriter(path, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := write(w, line); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	if text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, text
}

// verified verifies a journal that holds the text.
func verified(t testing.TB, path string, text []byte, expect string) (Chain, error) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	j, size, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	return Verify(j, size, expect)
}

// Whatever is changed, added or taken out behind a line is found, and where.
func TestVerify(t *testing.T) {
	path, whole := written(t, `{"type":"run","id":"r"}`, `{"type":"instruction","text":"do it"}`,
		`{"type":"response","content":[]}`)
	lines := bytes.SplitAfter(whole, []byte("\n"))[:3]
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	swapped := bytes.Replace(whole, []byte("do it"), []byte("do IT"), 1)
	for _, c := range []struct {
		name string
		text []byte
		want string // of the error, or of the chain for none
	}{
		{"as it is", whole, "3 lines, last "},
		{"nothing", nil, "0 lines, last "},
		{"a torn line", join(whole, []byte("{\"type\":\"mess")), "4 lines, last "},
		{"torn lines alone", []byte("{\"type\":\n{\"mess"), "it has no whole line (2 torn)"},
		{"a changed line", swapped, "line 2 at byte"},
		{"a line that is gone", join(lines[0], lines[2]), "line 1 at byte 0: changed"},
		{"the first line is gone", join(lines[1], lines[2]), "line 1 at byte 0: the lines before it"},
		{"a line twice", join(lines[0], lines[0], lines[1]), "line 1 at byte 0: changed"},
		{"lines in another order", join(lines[0], lines[2], lines[1]), "line 1 at byte 0: changed"},
		{"a line of another's", join(lines[0], []byte("{\"type\":\"x\"}\n"), lines[1]),
			"line 2 at byte"},
	} {
		chain, err := verified(t, path, c.text, "")
		got := chain.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A journal that was cut at its end has lost the line that somebody remembers.
func TestExpect(t *testing.T) {
	path, whole := written(t, `{"type":"run"}`, `{"type":"instruction"}`)
	first, rest, _ := bytes.Cut(whole, []byte("\n"))
	last := journal.Sum(bytes.TrimSuffix(rest, []byte("\n")))
	if _, err := verified(t, path, whole, string(last[:])); err != nil {
		t.Error(err)
	}
	if _, err := verified(t, path, append(first, '\n'), string(last[:])); err == nil ||
		!strings.Contains(err.Error(), "no line has the hash "+string(last[:])) {
		t.Errorf("%v", err)
	}
}

// Lines may be of any length, and the last may have no end.
func TestVerifyLong(t *testing.T) {
	path, whole := written(t, `{"type":"x","text":"`+strings.Repeat("x", 3<<20)+`"}`, `{"type":"y"}`)
	for text, want := range map[string]string{
		string(whole): "2 lines", string(whole[:len(whole)-1]): "2 lines",
		string(whole[:len(whole)-9]): "2 lines, 1 torn", "\n\n": "it has no whole line (2 torn)",
	} {
		c, err := verified(t, path, []byte(text), "")
		got := c.String()
		if i := strings.Index(got, ", last "); err == nil && i >= 0 {
			got = got[:i] + got[i+len(", last ")+len(c.last):]
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%d bytes: %s, want %s", len(text), got, want)
		}
	}
}

func TestLastLines(t *testing.T) {
	const text = "one\ntwo\nthree\n"
	for n, want := range map[int]string{0: "", 1: "three\n", 2: "two\nthree\n", 3: text, 4: text} {
		at, err := LastLines(strings.NewReader(text), int64(len(text)), n)
		if err != nil || text[at:] != want {
			t.Errorf("%d: %q, %v", n, text[at:], err)
		}
	}
}

func TestLastNewline(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, c := range []struct {
		text     string
		lo, want int64
	}{
		{"", 0, 0}, {"a", 0, 0}, {"\n", 0, 1}, {"a\nb", 0, 2}, {"a\nb\n", 0, 4}, {"a\nb", 3, 3},
		{"a\nb", 2, 2}, {"\n" + long, 0, 1}, {long, 0, 0}, {long + "\n" + long, 0, 200<<10 + 1},
	} {
		at, err := LastNewline(strings.NewReader(c.text), c.lo, int64(len(c.text)))
		if err != nil || at != c.want {
			t.Errorf("%.10q from %d: %d, want %d, %v", c.text, c.lo, at, c.want, err)
		}
	}
}

// A file is the user's own and no link, in a folder of the user's own.
func TestOwn(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	f, err := OpenOwn(file)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for path, want := range map[string]string{
		link: "a symbolic link, which is not followed", dir: "is a directory",
		filepath.Join(dir, "none/file"): "no such file", "/dev/null": "no regular",
	} {
		if f, err := OpenOwn(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
	if err := OwnFolder(file); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("%v", err)
	}
	if err := OwnFolder(dir); err != nil {
		t.Error(err)
	}
}

func TestSyncer(t *testing.T) {
	for _, policy := range []string{"none", "turn", "line"} {
		f, err := os.Create(filepath.Join(t.TempDir(), "f"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSyncer(policy, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range []string{"response", "delta", "tool_result", "summary"} {
			if err := s.Before(); err != nil {
				t.Errorf("%s: %v", policy, err)
			}
			if err := s.After(typ); err != nil {
				t.Errorf("%s: %v", policy, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", policy, err)
		}
		f.Close()
	}
	if _, err := NewSyncer("often", nil); err == nil || !strings.Contains(err.Error(), `"often"`) {
		t.Errorf("%v", err)
	}
}

// A disk that fails is told at the end, if not before.
func TestSyncerFails(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSyncer("turn", f)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := s.After("response"); err != nil {
		t.Errorf("nothing was tried: %v", err)
	}
	if err := s.Close(); err == nil {
		t.Error("it was not told")
	}
}
