package access

import "golang.org/x/sys/unix"

// Childless reports whether a folder, of that state, has no subfolder, without listing it.
// Some file systems count one link for each subfolder (inode(7), st_nlink). Most folders of
// a source tree have none, and listing one takes several times as long.
func Childless(dir string, stat *unix.Stat_t) bool {
	var fs unix.Statfs_t
	return stat.Mode&unix.S_IFMT == unix.S_IFDIR && stat.Nlink == 2 && unix.Statfs(dir, &fs) == nil &&
		(fs.Type == unix.EXT4_SUPER_MAGIC || fs.Type == unix.XFS_SUPER_MAGIC ||
			fs.Type == unix.TMPFS_MAGIC)
}

// childless is Childless for a path.
func childless(dir string) bool {
	var stat unix.Stat_t
	return unix.Lstat(dir, &stat) == nil && Childless(dir, &stat)
}
