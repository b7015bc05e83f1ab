package capture

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ua/internal/common/jobs"
	"ua/internal/common/redact"
	"ua/internal/test/scripttest"
)

const key = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"

// take captures text in pieces of the size.
func take(t testing.TB, o Options, text string, size int) *Result {
	t.Helper()
	if o.Secrets == nil {
		o.Secrets = redact.NewSet(nil)
	}
	if o.Create == nil {
		dir := t.TempDir()
		o.Create = func() (*os.File, error) { return os.Create(filepath.Join(dir, "out")) }
	}
	c := New(o)
	for p := []byte(text); len(p) > 0; p = p[min(size, len(p)):] {
		c.Write(bytes.Clone(p[:min(size, len(p))]))
	}
	return c.Close(false)
}

func TestSmall(t *testing.T) {
	for _, size := range []int{1, 5, 1 << 20} {
		r := take(t, Options{Max: 1024, FileMax: 1 << 20}, "a\x1b[1mb\nkey "+key+"\n", size)
		if r.Text != "ab\nkey [redacted:github_token]\n" || r.Cut || r.File != "" ||
			r.Redacted["github_token"] != 1 {
			t.Errorf("%+v", r)
		}
	}
}

func TestCut(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	for _, size := range []int{1, 100, 1000, 1 << 20} {
		r := take(t, Options{Max: 1024, FileMax: 1 << 20}, text.String(), size)
		head, rest, _ := strings.Cut(r.Text, "[ua-exec: ")
		note, tail, _ := strings.Cut(rest, "]\n")
		whole, err := os.ReadFile(r.File)
		if err != nil || string(whole) != text.String() {
			t.Fatalf("pieces of %d: the file has %d of %d bytes, %v", size, len(whole), text.Len(), err)
		}
		if !strings.HasPrefix(text.String(), head) || !strings.HasSuffix(text.String(), tail) ||
			!strings.HasSuffix(head, "\n") || !strings.HasPrefix(tail, "line ") {
			t.Errorf("pieces of %d: %q … %q", size, head, tail)
		}
		want := fmt.Sprintf("%d of %d bytes in 2000 lines are cut out here; the whole output is in %s",
			text.Len()-len(head)-len(tail), text.Len(), r.File)
		if note != want {
			t.Errorf("note %q, want %q", note, want)
		}
		if r.Kept != int64(len(head)+len(tail)) || r.Kept > 1024 || r.Kept < 900 || !r.Cut ||
			r.Seen != int64(text.Len()) {
			t.Errorf("%+v", r)
		}
	}
}

func TestExactlyMax(t *testing.T) {
	for n := 1020; n < 1030; n++ {
		r := take(t, Options{Max: 1024}, strings.Repeat("x", n), 7)
		if r.Cut != (n > 1024) || !r.Cut && len(r.Text) != n {
			t.Errorf("%d bytes: cut %v, %d bytes", n, r.Cut, len(r.Text))
		}
	}
}

func TestFileIsRedacted(t *testing.T) {
	text := strings.Repeat("x", 2000) + " " + key + " " + strings.Repeat("y", 2000)
	for size := 1; size < 200; size += 7 {
		r := take(t, Options{Max: 1024, FileMax: 1 << 20}, text, size)
		whole, _ := os.ReadFile(r.File)
		if bytes.Contains(whole, []byte(key)) || !bytes.Contains(whole,
			[]byte("[redacted:github_token]")) {
			t.Fatalf("pieces of %d: %s", size, whole)
		}
	}
}

func TestFileLimits(t *testing.T) {
	text := strings.Repeat("0123456789\n", 1000)
	r := take(t, Options{Max: 1024, FileMax: 5000}, text, 100)
	whole, _ := os.ReadFile(r.File)
	if len(whole) != 5000 || r.FileErr == nil ||
		!strings.Contains(r.Text, "the first 5000 bytes are in") {
		t.Errorf("%d bytes, %v: %s", len(whole), r.FileErr, r.Text)
	}
	r = take(t, Options{Max: 1024, FileMax: 5000,
		Create: func() (*os.File, error) { return nil, errors.New("no room") }}, text, 100)
	if r.File != "" || !r.Cut || !strings.Contains(r.Text, "are cut out here]") {
		t.Errorf("%+v", r)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		scripttest.Skip(t, scripttest.Refused, "no /dev/full")
	}
	r = take(t, Options{Max: 1024, FileMax: 5000,
		Create: func() (*os.File, error) { return full, nil }}, text, 100)
	if r.FileErr == nil || !strings.Contains(r.Text,
		"the first 0 bytes are in /dev/full (write /dev/full: no space left on device)") {
		t.Errorf("%v: %s", r.FileErr, r.Text)
	}
}

func TestFold(t *testing.T) {
	text := strings.Repeat("progress\r", 10000) + "done\nend\r"
	r := take(t, Options{Max: 1024, Fold: true}, text, 64)
	if r.Text != "done\nend" || r.Cut || r.Seen != 90009 {
		t.Errorf("%+v", r)
	}
}

func TestMedia(t *testing.T) {
	gif := "GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;"
	for _, size := range []int{1, 11, 100} {
		r := take(t, Options{Max: 1024}, gif+"and a warning\n", size)
		if r.Media != "image/gif" || string(r.Data) != gif || r.Text != "and a warning\n" {
			t.Errorf("pieces of %d: %+v", size, r)
		}
		r = take(t, Options{Max: 1024}, "GIF89a is a format, 1989", size)
		if r.Media != "" || r.Text != "GIF89a is a format, 1989" {
			t.Errorf("pieces of %d: %+v", size, r)
		}
	}
	if r := take(t, Options{Max: 1024}, gif[:len(gif)-1]+strings.Repeat("\x01", maxMedia),
		1<<20); r.Media != "" || !r.Binary {
		t.Errorf("too long: %+v", r)
	}
}

func TestBinary(t *testing.T) {
	b := make([]byte, 5000)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	if r := take(t, Options{Max: 1 << 20}, string(b), 100); !r.Binary || r.Text != "" || !r.Cut {
		t.Errorf("%+v", r)
	}
	if r := take(t, Options{Max: 1 << 20}, "caf\xe9 cr\xe8me in Latin-1 is text\n", 100); r.Binary ||
		r.Text != "caf\ufffd cr\ufffdme in Latin-1 is text\n" || r.Scrubbed["invalid_utf8"] != 2 {
		t.Errorf("%+v", r)
	}
}

// TestHiddenSplit hides a zero-width character in a key: it is found all the
// same.
func TestHiddenSplit(t *testing.T) {
	r := take(t, Options{Max: 1024}, key[:10]+"\x1b[0m"+key[10:], 100)
	if strings.Contains(r.Text, key[10:]) {
		t.Errorf("%q", r.Text)
	}
}

// ringFile is a file for a ring, and its folder, in which a command has left a
// link to a file of someone else's.
func ringFile(t *testing.T) (dir *os.Root, file *os.File, other string) {
	t.Helper()
	dir, err := os.OpenRoot(t.TempDir())
	if err == nil {
		file, err = dir.OpenFile("ring", os.O_RDWR|os.O_CREATE, 0o600)
	}
	other = filepath.Join(t.TempDir(), "other")
	if err := errors.Join(err, os.WriteFile(other, []byte("other"), 0o600),
		os.Symlink(other, file.Name()+".new")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir, file, other
}

func TestRing(t *testing.T) {
	dir, file, other := ringFile(t)
	path := file.Name()
	c := New(Options{Max: 1024, Secrets: redact.NewSet(nil)})
	c.Write([]byte("start\n" + key[:20]))
	first := c.Close(true)
	ring := c.Ring(dir, file, first.Text, nil)
	ring.Write([]byte(key[20:] + "\n"))
	for i := range 10000 {
		ring.Write(fmt.Appendf(nil, "line %d\n", i))
		if i == 500 {
			early, _ := os.ReadFile(path)
			if !bytes.HasPrefix(early, []byte("start\n[redacted:github_token]\nline 0\n")) {
				t.Fatalf("%.100q", early)
			}
		}
	}
	ring.Close()
	b, _ := os.ReadFile(path)
	if n := bytes.Count(b, []byte{'\n'}); n < jobs.RingLines || n > 2*jobs.RingLines ||
		!bytes.HasSuffix(b, []byte("line 9998\nline 9999\n")) || !bytes.HasPrefix(b, []byte("line ")) {
		t.Errorf("%d lines from %.20q to %q", n, b, b[len(b)-20:])
	}
	if info, err := os.Lstat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if text, _ := os.ReadFile(other); string(text) != "other" {
		t.Errorf("a link led to another file: %.20q", text)
	}
}

func TestRingOfOneLine(t *testing.T) {
	dir, file, _ := ringFile(t)
	path := file.Name()
	c := New(Options{Max: 1024, Secrets: redact.NewSet(nil)})
	c.Close(true)
	ring := c.Ring(dir, file, "", nil)
	for range 100 {
		ring.Write(bytes.Repeat([]byte("x"), 64<<10))
	}
	ring.Close()
	if info, _ := os.Stat(path); info.Size() > 3*jobs.RingBytes {
		t.Errorf("%d bytes", info.Size())
	}
}

func FuzzCapture(f *testing.F) {
	f.Add("some text\n\x1b[1m"+key, 10, uint16(1024), false)
	f.Add(strings.Repeat("é\r\n", 600), 3, uint16(1024), true)
	set := redact.NewSet(nil)
	f.Fuzz(func(t *testing.T, text string, size int, limit uint16, fold bool) {
		o := Options{Max: 1024 + int(limit)%4096, Fold: fold, Secrets: set}
		r := take(t, o, text, max(1, size))
		if len(r.Text) > 6*o.Max || !utf8.ValidString(r.Text) {
			t.Fatalf("%d bytes of at most %d", len(r.Text), o.Max)
		}
		if r.Kept > int64(o.Max) || r.Seen != int64(len(text)) {
			t.Fatalf("%d kept, %d seen of %d", r.Kept, r.Seen, len(text))
		}
		whole := take(t, o, text, len(text)+1)
		if whole.Text != r.Text || whole.Media != r.Media {
			t.Fatalf("in pieces of %d: %q, whole: %q", size, r.Text, whole.Text)
		}
		planted := take(t, o, text+"\n\x00 "+key+" \x00", max(1, size))
		if strings.Contains(planted.Text, key) && !strings.Contains(text, key) {
			t.Fatalf("the key is left in %q", planted.Text)
		}
	})
}
