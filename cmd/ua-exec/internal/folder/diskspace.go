package folder

import (
	"cmp"
	"os"
	"syscall"
)

// Room returns how large a further file may be, at most. Of what is free on its disk a
// quarter stays: the journal may be there, without which a run ends.
func (f *Folder) Room(most int64) int64 {
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
