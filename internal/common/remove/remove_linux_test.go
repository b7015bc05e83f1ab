package remove

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestRefusedToUser is TestRefused as an ordinary user, whom modes concern.
func TestRefusedToUser(t *testing.T) {
	if os.Getuid() != 0 {
		return // TestRefused is that
	}
	const nobody = 65534
	dir := t.TempDir()
	os.Chmod(filepath.Dir(dir), 0o755)
	os.Chown(dir, nobody, nobody)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer unix.Setfsuid(0)
	notRemovable(t, dir)
}
