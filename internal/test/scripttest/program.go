package scripttest

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// WriteProgram makes an executable file with the text. No process is forked during that
// time. It would have the file open for writing, and the file could not be run until the
// process ends or runs another program (ETXTBSY, execve(2)).
func WriteProgram(t testing.TB, path string, text []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
}

// CopyProgram gives a program a second name, for a user who can't reach the first one: a hard
// link or, on another file system, a copy in the way of WriteProgram.
func CopyProgram(t testing.TB, from, to string) {
	t.Helper()
	if real, err := filepath.EvalSymlinks(from); err == nil && os.Link(real, to) == nil {
		return
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	WriteProgram(t, to, text)
}
