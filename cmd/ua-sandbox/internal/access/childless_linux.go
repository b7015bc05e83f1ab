package access

import "golang.org/x/sys/unix"

// Devices remembers by device which file systems count one link for each subfolder of a
// folder (inode(7), st_nlink).
type Devices map[uint64]bool

// Childless reports whether a folder, of that state, has no subfolder, without listing it.
// Most folders of a source tree have none, and listing one takes several times as long.
func (d *Devices) Childless(dir string, stat *unix.Stat_t) bool {
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR || stat.Nlink != 2 {
		return false
	}
	counts, known := (*d)[uint64(stat.Dev)]
	if !known {
		var fs unix.Statfs_t
		counts = unix.Statfs(dir, &fs) == nil && (fs.Type == unix.EXT4_SUPER_MAGIC ||
			fs.Type == unix.XFS_SUPER_MAGIC || fs.Type == unix.TMPFS_MAGIC)
		if *d == nil {
			*d = Devices{}
		}
		(*d)[uint64(stat.Dev)] = counts
	}
	return counts
}

// childless is Childless for a path.
func (d *Devices) childless(dir string) bool {
	var stat unix.Stat_t
	return unix.Lstat(dir, &stat) == nil && d.Childless(dir, &stat)
}
