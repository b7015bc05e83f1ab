package folder

import (
	"cmp"
	"os"
	"syscall"
)

// BytesLeft returns how many bytes another file may hold: at most most, and no more than
// three quarters of the free space on the disk. The journal may be on the same disk, and a
// run ends without it.
func (f *Folder) BytesLeft(most int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Max > 0 {
		most = min(most, max(1, f.Max-f.used))
	}
	var disk syscall.Statfs_t
	if syscall.Statfs(cmp.Or(f.Path, os.TempDir()), &disk) == nil {
		free := int64(disk.Bavail) * int64(disk.Bsize)
		most = min(most, max(1, free-free/4))
	}
	return most
}
