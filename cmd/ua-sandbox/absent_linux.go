package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
)

// Aside is what a guarded file gets behind its name when a command has made it.
const aside = ".refused"

// An absence keeps guarded paths from being made that were not there when the
// command began. No mount can stand for what is not there, and an empty file in
// its place would be seen by others. So the one who watches from outside moves
// what is made aside at once, and looks again at the end: nothing is lost, and
// nothing takes it up by its name.
type absence struct {
	paths []string
	mu    sync.Mutex
	moved []string
}

// watchAbsent begins to watch the folders that guarded paths could be made in. A
// command that is over sooner is looked at when it ends: to give an inotify(7)
// back takes the kernel as long as all the rest of a sandbox.
func watchAbsent(p *policy.Policy) *absence {
	a := &absence{paths: p.Absent}
	if len(a.paths) > 0 {
		time.AfterFunc(time.Second, a.watch)
	}
	return a
}

// watch moves aside what is there and what appears, as long as this process lives.
func (a *absence) watch() {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		return // the end of the run is left
	}
	dirs := map[int]string{} // by watch
	for _, path := range a.paths {
		dir := filepath.Dir(path)
		if wd, err := unix.InotifyAddWatch(fd, dir,
			unix.IN_CREATE|unix.IN_MOVED_TO|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW); err == nil {
			dirs[wd] = dir
		}
	}
	a.look()
	buf := make([]byte, 16<<10)
	for {
		n, err := unix.Read(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n < unix.SizeofInotifyEvent {
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, size := int(int32(binary.NativeEndian.Uint32(rest))),
				int(binary.NativeEndian.Uint32(rest[12:]))
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size], []byte{0})
			if path := filepath.Join(dirs[wd], string(name)); slices.Contains(a.paths, path) {
				a.move(path)
			}
			rest = rest[unix.SizeofInotifyEvent+size:]
		}
	}
}

// move gives what is at path another name in its folder, which no symbolic link
// leads to.
func (a *absence) move(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	dir, err := unix.Openat2(unix.AT_FDCWD, filepath.Dir(path),
		&unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return
	}
	defer unix.Close(dir)
	name := filepath.Base(path)
	for n := range 100 {
		to := name + aside
		if n > 0 {
			to += fmt.Sprint(n)
		}
		err := unix.Renameat2(dir, name, dir, to, unix.RENAME_NOREPLACE)
		if err == unix.EEXIST {
			continue
		}
		if err == nil && !slices.Contains(a.moved, path) {
			a.moved = append(a.moved, path)
		}
		return
	}
}

// look moves aside what is there.
func (a *absence) look() {
	for _, path := range a.paths {
		if _, err := os.Lstat(path); err == nil {
			a.move(path)
		}
	}
}

// end looks at all paths a last time and tells what was moved.
func (a *absence) end(env *prog.Env) {
	a.look()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.moved) > 0 {
		env.Warnf("guarded, so moved aside as *%s: %s (--write PATH lets a command make it)", aside,
			strings.Join(a.moved, ", "))
	}
}
