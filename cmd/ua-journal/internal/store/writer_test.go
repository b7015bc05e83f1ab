package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// TestLongLastLine: a file without lines, which a command can make as large as it likes at
// no cost, is no journal, and is not read into memory.
func TestLongLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	for size, want := range map[int64]string{1 << 29: "longer than", 1 << 40: "a hole"} {
		err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size))
		if err != nil {
			t.Fatal(err)
		}
		if w, err := OpenWriter(path, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, %v", size, w, err)
		}
	}
}

// A power cut can leave any beginning of a journal, perhaps with blocks of zeros
// behind it. Whatever is left, the next writer goes on, the chain holds, and
// every line that was whole is read.
func TestCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	path := filepath.Join(dir, "j.jsonl")
	put := func(lines ...string) {
		t.Helper()
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
	}
	put(`{"type":"run","id":"r"}`, `{"type":"instruction","text":"do é"}`,
		`{"type":"response","content":[]}`)
	whole, _ := os.ReadFile(path)
	for cut := range len(whole) + 1 {
		for _, zeros := range []int{0, 4096} {
			if zeros > 0 && cut%7 > 0 {
				continue
			}
			os.WriteFile(path, append(bytes.Clone(whole[:cut]), make([]byte, zeros)...), 0o600)
			put(`{"type":"message","text":"on"}`)
			j, size, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Verify(j, size, ""); err != nil {
				t.Fatalf("cut at %d, %d zeros: %v", cut, zeros, err)
			}
			told := 0
			lines, err := journal.Conversation(j, size, 0, func(error) { told++ })
			j.Close()
			kept := bytes.Count(whole[:cut], []byte{'\n'})
			if err != nil || len(lines) < kept+1 || event.Str(lines[len(lines)-1], "text") != "on" ||
				told > 1 {
				t.Fatalf("cut at %d, %d zeros: %d lines of %d, %d told of, %v", cut, zeros, len(lines), kept+1,
					told, err)
			}
		}
	}
}

// write appends one event to a journal.
func write(w *Writer, line string) error {
	var s journal.Sealer
	s.Begin([]byte(line))
	w.Add(&s)
	_, err := w.Flush()
	return err
}
