// Package hometop lets a command work in a home, at whose top it may make no hidden name.
package hometop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/guard"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/privatetmp"
	"ua/internal/common/confine"
	"ua/internal/common/remove"
)

// maxLinked is the size up to which a file is linked on overlayfs, which copies it for that.
const maxLinked = 64 << 20

// A Top stands for the top of a home in which, or around which, a command works. No mount
// keeps names from being made that do not exist, so the command gets another folder as its
// home: with the user's folders mounted in it, hard links to the user's files, and hidden
// names mounted read-only. What is new there lands in the home at the end, if it is not
// hidden; what is replaced or removed is so in the home, unless the user has changed it
// meanwhile. Nothing that the command does makes a hidden name at the top of the home itself.
type Top struct {
	home, dir string
	fd, at    int                    // of the two
	linked    map[string]guard.Inode // the user's files, by their names in both
	mounted   map[string]bool        // names that only hold a mount
}

// New makes the folders for a policy's homes. A home in which none can be made gets
// no new names at its top.
func New(p *access.Policy) (tops []*Top) {
	for _, home := range p.Tops {
		landKilled(home)
		if t, err := newTop(home); err == nil {
			tops = append(tops, t)
		}
	}
	return tops
}

// newTop makes the folder for one home.
func newTop(home string) (*Top, error) {
	dir, err := os.MkdirTemp(home, access.HomeTopName)
	if err != nil {
		return nil, err
	}
	privatetmp.Lock(dir) // for as long as this process lives
	t := topOf(home, dir)
	var stat unix.Stat_t
	if err = t.open(); err == nil {
		err = unix.Fstat(t.fd, &stat)
	}
	if err == nil {
		err = errors.Join(os.Chown(dir, -1, int(stat.Gid)), unix.Chmod(dir, stat.Mode&0o7777))
	}
	if err == nil {
		err = t.fill()
	}
	if err != nil {
		t.Drop()
		return nil, err
	}
	return t, nil
}

// topOf returns a folder that stands for a home.
func topOf(home, dir string) *Top {
	return &Top{home: home, dir: dir, fd: -1, at: -1, linked: map[string]guard.Inode{},
		mounted: map[string]bool{}}
}

// open opens both folders.
func (t *Top) open() (err error) {
	if t.fd, err = confine.OpenPath(t.home, unix.O_DIRECTORY); err == nil {
		t.at, err = confine.OpenPath(t.dir, unix.O_DIRECTORY)
	}
	return err
}

// fill links what can be linked, and makes places for mounts of the rest.
func (t *Top) fill() error {
	entries, err := os.ReadDir(t.home)
	if err != nil {
		return err
	}
	var fs unix.Statfs_t
	copies := unix.Fstatfs(t.fd, &fs) == nil && fs.Type == unix.OVERLAYFS_SUPER_MAGIC
	for _, e := range entries {
		name := e.Name()
		var stat unix.Stat_t
		if isTop(name) || unix.Fstatat(t.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		folder := stat.Mode&unix.S_IFMT == unix.S_IFDIR
		if !folder && !access.Hidden(name) && (!copies || stat.Size <= maxLinked) &&
			unix.Linkat(t.fd, name, t.at, name, 0) == nil {
			if now, ok := t.inode(t.at, name); ok { // overlayfs may have made a copy
				t.linked[name] = now
				continue
			}
		}
		if t.mounted[name] = true; folder {
			err = unix.Mkdirat(t.at, name, 0o700)
		} else {
			err = unix.Mknodat(t.at, name, unix.S_IFREG|0o600, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inode returns what has a name in one of the two folders.
func (t *Top) inode(dir int, name string) (guard.Inode, bool) {
	var stat unix.Stat_t
	err := unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	return guard.InodeOf(stat), err == nil
}

// Over adds the homes' tops to the mounts of a view, and mounts for all names in them that
// have none.
func Over(tops []*Top, p *access.Policy, list []layer.Mount) []layer.Mount {
	at := func(path string) int {
		return slices.IndexFunc(list, func(c layer.Mount) bool { return c.Path == path })
	}
	for _, home := range p.Tops {
		i := slices.IndexFunc(tops, func(t *Top) bool { return t.home == home })
		j := at(home)
		if j < 0 {
			j, list = len(list), append(list, layer.Mount{Path: home, Dir: true})
		}
		if list[j].Kind = layer.Bind; i >= 0 {
			list[j].From = tops[i].dir
		} else {
			list[j].Kind = layer.ReadOnlyBind
		}
		entries, _ := os.ReadDir(home)
		for _, e := range entries {
			path, kind := filepath.Join(home, e.Name()), layer.Bind
			if i >= 0 && !tops[i].mounted[e.Name()] || at(path) >= 0 || isTop(e.Name()) {
				continue
			}
			if access.Hidden(e.Name()) && !slices.Contains(p.Grants, path) {
				kind = layer.ReadOnlyBind
			}
			if e.Type()&os.ModeSymlink != 0 {
				kind = layer.ReadOnlyBind // whose way ends at a link
			}
			list = append(list, layer.Mount{Path: path, Kind: kind, Dir: e.IsDir()})
		}
	}
	slices.SortStableFunc(list, func(a, b layer.Mount) int { return len(a.Path) - len(b.Path) })
	return list
}

// isTop reports whether a name is that of a folder which stands for a home.
func isTop(name string) bool { return strings.HasPrefix(name, access.HomeTopName) }

// Land moves into the home what is new or replaced in the folder that stood for it, and
// removes from the home what was removed there. Hidden names are set aside, and so is what the
// user has changed meanwhile: told is called with each.
func (t *Top) Land(told func(path string)) {
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
		defer t.writable(name)()
		there, ok := t.inode(t.fd, name)
		same := ok && linked && there == was
		if !access.Hidden(name) && (same && t.move(name, 0) || t.move(name, unix.RENAME_NOREPLACE) ||
			same && t.move(name, unix.RENAME_EXCHANGE)) { // a folder does not replace a file
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
		t.Drop()
	}
}

// move gives the home what has a name in the folder, and reports whether it could.
func (t *Top) move(name string, flags uint) bool {
	return unix.Renameat2(t.at, name, t.fd, name, flags) == nil
}

// writable gives the owner of a folder write access to it, without which rename(2) moves it to no
// other one, until restore is called.
func (t *Top) writable(name string) (restore func()) {
	fd, err := unix.Openat(t.at, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	f := os.NewFile(uintptr(fd), name)
	path := fmt.Sprintf("/proc/self/fd/%d", fd)
	info, err := os.Stat(path)
	if err != nil || info.Mode()&0o200 != 0 || os.Chmod(path, info.Mode()|0o200) != nil {
		return func() { f.Close() }
	}
	return func() {
		_ = os.Chmod(path, info.Mode())
		f.Close()
	}
}

// name returns the name that a file of the user's has in the home, or "".
func (t *Top) name(file guard.Inode) string {
	for name, was := range t.linked {
		if there, _ := t.inode(t.fd, name); was == file && there == file {
			return name
		}
	}
	return ""
}

// aside gives what has a name in the folder another one in the home, if it is a file or folder.
// Links, pipes and sockets hold nothing that could be lost.
func (t *Top) aside(name string) bool {
	var stat unix.Stat_t
	if err := unix.Fstatat(t.at, name, &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil ||
		stat.Mode&unix.S_IFMT != unix.S_IFREG && stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		return err == nil
	}
	return guard.MoveAside(t.at, name, t.fd)
}

// Drop removes the folder, with the places of mounts and the links in it.
func (t *Top) Drop() {
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
		if !isTop(e.Name()) || unix.Lstat(dir, &stat) != nil || int(stat.Uid) != os.Getuid() ||
			!privatetmp.Lock(dir) { // whose sandbox lives
			continue
		}
		t := topOf(home, dir)
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
		t.Land(func(string) {})
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
