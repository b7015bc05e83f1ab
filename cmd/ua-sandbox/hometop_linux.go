package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
)

// maxLinked is the size up to which a file is linked on overlayfs, which copies it for that.
const maxLinked = 64 << 20

// A homeTop stands for the top of a home in which, or around which, a command works. No mount
// keeps names from being made that do not exist, so the command gets another folder as its
// home: with the user's folders mounted in it, hard links to the user's files, and hidden
// names mounted read-only. What is new there lands in the home at the end, if it is not
// hidden; what is replaced or removed is so in the home, unless the user has changed it
// meanwhile. Nothing that the command does makes a hidden name at the top of the home itself.
type homeTop struct {
	home, dir string
	fd, at    int              // of the two
	linked    map[string]inode // the user's files, by their names in both
	mounted   map[string]bool  // names that only hold a mount
}

// An inode tells a file from any other.
type inode struct{ Dev, Ino uint64 }

// inodeAt returns what is at a path, which is no link's.
func inodeAt(path string) inode {
	var stat unix.Stat_t
	_ = unix.Lstat(path, &stat)
	return inodeOf(stat)
}

// inodeOf returns what has that state.
func inodeOf(stat unix.Stat_t) inode { return inode{uint64(stat.Dev), stat.Ino} }

// newHomeTops makes the folders for a policy's homes. A home in which none can be made gets
// no new names at its top.
func newHomeTops(p *policy.Policy) (tops []*homeTop) {
	for _, home := range p.Tops {
		landKilled(home)
		if t, err := newHomeTop(home); err == nil {
			tops = append(tops, t)
		}
	}
	return tops
}

// newHomeTop makes the folder for one home.
func newHomeTop(home string) (*homeTop, error) {
	dir, err := os.MkdirTemp(home, policy.HomeTopName)
	if err != nil {
		return nil, err
	}
	lock(dir) // for as long as this process lives
	t := newTop(home, dir)
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
		t.drop()
		return nil, err
	}
	return t, nil
}

// newTop returns a folder that stands for a home.
func newTop(home, dir string) *homeTop {
	return &homeTop{home: home, dir: dir, fd: -1, at: -1, linked: map[string]inode{},
		mounted: map[string]bool{}}
}

// open opens both folders.
func (t *homeTop) open() (err error) {
	if t.fd, err = confine.OpenPath(t.home, unix.O_DIRECTORY); err == nil {
		t.at, err = confine.OpenPath(t.dir, unix.O_DIRECTORY)
	}
	return err
}

// fill links what can be linked, and makes places for mounts of the rest.
func (t *homeTop) fill() error {
	entries, err := os.ReadDir(t.home)
	if err != nil {
		return err
	}
	var fs unix.Statfs_t
	copies := unix.Fstatfs(t.fd, &fs) == nil && fs.Type == unix.OVERLAYFS_SUPER_MAGIC
	for _, e := range entries {
		name := e.Name()
		var stat unix.Stat_t
		if isHomeTop(name) || unix.Fstatat(t.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		folder := stat.Mode&unix.S_IFMT == unix.S_IFDIR
		if !folder && !policy.Hidden(name) && (!copies || stat.Size <= maxLinked) &&
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
func (t *homeTop) inode(dir int, name string) (inode, bool) {
	var stat unix.Stat_t
	err := unix.Fstatat(dir, name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	return inodeOf(stat), err == nil
}

// over adds the homes' tops to the mounts of a view, and mounts for all names in them that
// have none.
func over(tops []*homeTop, p *policy.Policy, list []layer.Mount) []layer.Mount {
	at := func(path string) int {
		return slices.IndexFunc(list, func(c layer.Mount) bool { return c.Path == path })
	}
	for _, home := range p.Tops {
		i := slices.IndexFunc(tops, func(t *homeTop) bool { return t.home == home })
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
			if i >= 0 && !tops[i].mounted[e.Name()] || at(path) >= 0 || isHomeTop(e.Name()) {
				continue
			}
			if policy.Hidden(e.Name()) && !slices.Contains(p.Grants, path) {
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
