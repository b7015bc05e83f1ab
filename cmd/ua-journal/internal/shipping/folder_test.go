package shipping

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolder: what lies in the place of a journal and is none is an error, for which nobody waits.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "folder"), 0o700)
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folder", "fifo"} {
		if _, err := folder(dir).Size(name); err == nil {
			t.Errorf("%s has a size", name)
		}
		if err := folder(dir).Write(name, strings.NewReader("x"), 0, 1); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if err := folder(dir).Write("host/run", strings.NewReader("xy"), 0, 2); err != nil {
		t.Error(err)
	}
	if n, err := folder(dir).Size("host/run"); n != 2 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}
