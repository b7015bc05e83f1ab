package main

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
)

// How many secrets, and files in a folder of them, are tried.
const (
	triedSecrets = 16
	triedInside  = 16
)

// tried returns secrets of a policy that tier 2 must keep from being read, files all.
func tried(masks []policy.Mask) (files []string) {
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
			files = append(files, filepath.Join(m.Path, name))
		}
	}
	return files
}

// allKept tries to read what the Landlock rules of this thread must not let it read. They
// hold for folders above the root too: where the root is a mount of the folder that holds
// its own mount point (mount --bind / /mnt/x; chroot /mnt/x), a rule for /mnt is one for all.
func allKept(files []string) error {
	for _, path := range files {
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
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
