package main

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/remove"
)

// isHomeTop reports whether a name is that of a folder which stands for a home.
func isHomeTop(name string) bool { return strings.HasPrefix(name, policy.HomeTopName) }

// land moves into the home what is new or replaced in the folder that stood for it, and
// removes from the home what was removed there. Hidden names are set aside, and so is what the
// user has changed meanwhile: told is called with each.
func (t *homeTop) land(told func(path string)) {
	_ = os.Chmod(t.dir, 0o700) // the command may have closed it
	entries, err := os.ReadDir(t.dir)
	if err != nil {
		return // the next sandbox in this home tries again
	}
	left, stays := map[string]bool{}, false
	for _, e := range entries {
		name := e.Name()
		left[name] = true
		was, linked := t.linked[name]
		now, _ := t.inode(t.at, name)
		if t.mounted[name] || linked && was == now {
			continue
		}
		if there, ok := t.inode(t.fd, name); !policy.Hidden(name) && ok && linked && there == was &&
			unix.Renameat2(t.at, name, t.fd, name, 0) == nil ||
			!policy.Hidden(name) && unix.Renameat2(t.at, name, t.fd, name,
				unix.RENAME_NOREPLACE) == nil {
			continue
		}
		if own := t.name(now); own != "" && !left[own] {
			left[own] = true // only moved to a hidden name: it stays where it was
			continue
		}
		if t.aside(name) {
			told(filepath.Join(t.home, name))
		} else {
			stays = true
		}
	}
	for name, was := range t.linked {
		if left[name] {
			continue
		}
		if there, ok := t.inode(t.fd, name); ok && there == was {
			_ = unix.Unlinkat(t.fd, name, 0)
		}
	}
	if !stays {
		t.drop()
	}
}

// name returns the name that a file of the user's has in the home, or "".
func (t *homeTop) name(file inode) string {
	for name, was := range t.linked {
		if there, _ := t.inode(t.fd, name); was == file && there == file {
			return name
		}
	}
	return ""
}

// aside gives what has a name in the folder another one in the home, if it is a file or folder.
// Links, pipes and sockets hold nothing that could be lost.
func (t *homeTop) aside(name string) bool {
	var stat unix.Stat_t
	if err := unix.Fstatat(t.at, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil ||
		stat.Mode&unix.S_IFMT != unix.S_IFREG && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		return err == nil
	}
	return moveAside(t.at, name, t.fd)
}

// drop removes the folder, with the places of mounts and the links in it.
func (t *homeTop) drop() {
	for _, fd := range []int{t.fd, t.at} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	_ = remove.All(t.dir)
}

// landKilled lands what sandboxes that were killed have left in a home.
func landKilled(home string) {
	entries, _ := os.ReadDir(home)
	for _, e := range entries {
		dir := filepath.Join(home, e.Name())
		var stat unix.Stat_t
		if !isHomeTop(e.Name()) || unix.Lstat(dir, &stat) != nil || int(stat.Uid) != os.Getuid() ||
			!lock(dir) { // whose sandbox lives
			continue
		}
		t := newTop(home, dir)
		if t.open() != nil {
			continue
		}
		names, _ := os.ReadDir(dir)
		for _, e := range names {
			there, ok := t.inode(t.fd, e.Name())
			if here, _ := t.inode(t.at, e.Name()); ok && here == there {
				t.linked[e.Name()] = here
			}
			t.mounted[e.Name()] = ok && empty(filepath.Join(dir, e.Name()))
		}
		t.land(func(string) {})
	}
}

// empty reports whether a folder or file holds nothing, as the place of a mount.
func empty(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().IsRegular() {
		return err == nil && info.Size() == 0
	}
	return info.IsDir() && unix.Rmdir(path) == nil
}
