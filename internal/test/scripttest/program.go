package scripttest

import (
	"os"
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

// CopyProgram makes an executable copy of a file, in the way of WriteProgram.
func CopyProgram(t testing.TB, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	WriteProgram(t, to, text)
}
