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

// tried returns secrets of a policy that tier 2 must keep from being read, files all. Shown
// is what may be read in hidden folders.
func tried(masks []policy.Mask, shown []string) (files []string) {
	for _, m := range masks {
		if len(files) >= triedSecrets {
			break
		}
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

// allKept tries to read what the Landlock rules of this thread must not let it read. They
// hold for folders above the root too: where the root is a mount of the folder that holds
// its own mount point (mount --bind / /mnt/x; chroot /mnt/x), a rule for /mnt is one for all.
// What the caller handed in as a standard descriptor is the command's (confine.Handed).
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

// handedIn reports whether a file is one of the standard descriptors.
func handedIn(file *unix.Stat_t) bool {
	for fd := range 3 {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Dev == file.Dev && stat.Ino == file.Ino {
			return true
		}
	}
	return false
}
