package runfolder

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/common/run"
)

// TestHeldWhileRead looks at a run that this process drives, as one that goes on does to count
// what it has used: it stays driven. An open file description's lock sees the record lock, also
// from the same process (fcntl(2)).
func TestHeldWhileRead(t *testing.T) {
	r := run.Run{ID: "20260101-000000-aaaaaa", Dir: t.TempDir()}
	f, err := Hold(r)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	Read(r)
	if pid, alive := Driver(r); !alive || pid != os.Getpid() {
		t.Errorf("driven by %d, %v", pid, alive)
	}
	other, err := os.OpenFile(filepath.Join(r.Dir, LockFile), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if err := unix.FcntlFlock(other.Fd(), unix.F_OFD_GETLK, &lock); err != nil ||
		lock.Type == unix.F_UNLCK {
		t.Errorf("the lock is gone: %v", err)
	}
}
