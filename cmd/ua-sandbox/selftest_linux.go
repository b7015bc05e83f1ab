package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
)

// tried returns files of secrets that tier 2 must keep from being read. shown are the
// paths inside hidden folders that may be read.
func tried(masks []policy.Mask, shown []string) (files []string) {
	for _, m := range masks {
		if len(files) >= triedSecrets {
			break
		}
		// A file is tried itself, and of a folder some of the files in it.
		if !m.Dir {
			files = append(files, m.Path)
			continue
		}
		dir, err := os.Open(m.Path)
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(triedInside)
		dir.Close()
		for _, name := range names {
			path := filepath.Join(m.Path, name)
			if !slices.ContainsFunc(shown, func(s string) bool {
				return confine.Under(path, s) && confine.Under(s, m.Path)
			}) {
				files = append(files, path)
			}
		}
	}
	return files
}

// allKept tries to read files that the Landlock rules of this thread must keep from being
// read. A rule also covers what is reached from above the root: if the root is a mount of
// the folder that holds its own mount point (mount --bind / /mnt/x; chroot /mnt/x), a
// rule for /mnt covers everything. A file that the caller has passed as a standard
// descriptor belongs to the command (confine.Handed).
func allKept(files []string) error {
	for _, path := range files {
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG || handedIn(&stat) {
			continue
		}
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err == nil {
			unix.Close(fd)
			return fmt.Errorf("%s can be read all the same: the root is mounted within itself", path)
		}
	}
	return nil
}

// handedIn reports whether a file is open as a standard descriptor.
func handedIn(file *unix.Stat_t) bool {
	for fd := range 3 {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Dev == file.Dev && stat.Ino == file.Ino {
			return true
		}
	}
	return false
}
