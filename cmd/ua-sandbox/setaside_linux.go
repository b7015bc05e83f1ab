package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
)

// aside is added to the name of a protected file that a command has made.
const aside = ".refused"

// An absence keeps commands from creating protected paths that did not exist, and
// repositories in which git runs programs. A mount cannot stand for a path that does not
// exist, and others would see an empty file in its place. Therefore this process,
// outside, moves whatever appears aside at once, and looks again at the end. Nothing is
// lost, and nothing finds it under its name.
type absence struct {
	policy *policy.Policy
	mu     sync.Mutex // of a hunt
	moving sync.Mutex // of a move, until it is told
	done   account
	rest   string // a folder that the last hunt could not look at, or ""
	kept   []kept // where no mount keeps it
	modes  []kept
}

// keep remembers what no mount protects at tier 2.
func (a *absence) keep() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = keep(a.policy.PutBack)
	paths := slices.Concat(a.policy.Protect, a.policy.Modes)
	for _, m := range a.policy.Masks {
		paths = append(paths, m.Path)
	}
	a.modes = modes(paths)
}

// watchAbsent starts to watch the folders in which protected paths could be created. A
// command that ends sooner is looked at when it ends, because releasing an inotify(7)
// descriptor takes the kernel as long as everything else in a sandbox.
//
// What is moved is reported to log, which may be nil.
func watchAbsent(p *policy.Policy, log *eventLog) *absence {
	a := &absence{policy: p, done: account{log: log}}
	if len(p.Absent) > 0 {
		time.AfterFunc(time.Second, a.watchMissing)
	}
	if p.Searched() {
		time.AfterFunc(time.Second, a.watchTrees)
	}
	return a
}

// setAside renames what is at path within its folder, reached without symbolic links, and
// writes rest in its place, if there is any. It works even if a command has taken likely
// names or has closed the folder.
func setAside(path string, rest []byte) bool {
	dir, err := folderOf(path)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	name := filepath.Base(path)
	for n := range 100 {
		to := asideName(name, n)
		err := unix.Renameat2(dir, name, dir, to, unix.RENAME_NOREPLACE)
		if err == unix.EACCES && reopen(dir) {
			err = unix.Renameat2(dir, name, dir, to, unix.RENAME_NOREPLACE)
		}
		if err == unix.EEXIST {
			continue
		}
		if err == nil && len(rest) > 0 {
			put(dir, name, rest, 0o644)
		}
		return err == nil
	}
	return false
}

// asideName returns the nth name for what is set aside. After many that are taken only a
// random one ends the search.
func asideName(name string, n int) string {
	switch {
	case n > 50:
		return fmt.Sprintf("%s%s-%08x", name, aside, rand.Uint32())
	case n > 0:
		return name + aside + fmt.Sprint(n)
	}
	return name + aside
}

// reopen gives the owner of a folder write access to it again.
func reopen(dir int) bool {
	var stat unix.Stat_t
	return unix.Fstat(dir, &stat) == nil &&
		unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", dir), stat.Mode&0o7777|0o700,
			0) == nil
}

// folderOf opens the folder of path, reached without symbolic links.
func folderOf(path string) (int, error) {
	return confine.OpenPath(filepath.Dir(path), unix.O_DIRECTORY)
}

// put writes a new file in a folder. If something has its name, that is looked at in
// turn.
func put(dir int, name string, text []byte, mode uint32) bool {
	fd, err := unix.Openat(dir, name,
		unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(text)
	return errors.Join(err, f.Close()) == nil
}

// look moves aside the protected paths that exist now.
func (a *absence) look() {
	for _, path := range a.policy.Absent {
		if _, err := os.Lstat(path); err == nil {
			a.move(path)
		}
	}
}

// hunt moves aside what makes git, or another such system, run something in a repository
// that the command has made, and returns the folders that it looked at. The last hunt is
// when the command has ended.
func (a *absence) hunt(last bool) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.kept {
		a.kept[i].putBack(a.done.putBack)
	}
	plants, folders, rest := a.policy.Plants(last)
	a.rest = rest
	for _, plant := range plants {
		if plant.Last && !last {
			continue
		}
		a.done.plant(plant.Path, plant.Why, setAside(plant.Path, plant.Rest))
	}
	return folders
}

// end looks at all paths a last time, restores what it can, and reports what was moved. It
// returns whether all was looked at.
func (a *absence) end(env *prog.Env) bool {
	a.look()
	a.hunt(true)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.moving.Lock() // the command may have seen a move that is not told yet
	defer a.moving.Unlock()
	if a.rest != "" {
		a.done.unseen(env, a.rest)
	}
	for i := range a.kept {
		if _, same := a.kept[i].stands(); !same {
			a.done.lose(a.kept[i].path)
		}
	}
	for i := range a.modes {
		if a.modes[i].putBackMode() {
			a.done.putBack(a.modes[i].path)
		}
	}
	a.done.sum(env)
	return a.rest == ""
}
