package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
)

// A watcher is an inotify(7) descriptor with the folders that it watches.
type watcher struct {
	fd   int
	dirs map[int]string
	buf  []byte
	few  bool // not every folder could be watched
}

// newWatcher returns one that watches nothing, as soon as one can be had. A command can
// use up those of its user: until then look is called now and then.
func newWatcher(look func()) *watcher {
	for {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if err == nil {
			return &watcher{fd: fd, dirs: map[int]string{}, buf: make([]byte, 64<<10)}
		}
		began := time.Now()
		look()
		time.Sleep(max(lookUnwatched, 20*time.Since(began)))
	}
}

// add watches the folders, and reports whether one of them was not watched before. What
// was made in such a folder earlier has caused no event.
func (w *watcher) add(dirs ...string) (fresh bool) {
	for _, dir := range dirs {
		wd, err := unix.InotifyAddWatch(w.fd, dir, unix.IN_CREATE|unix.IN_MOVED_TO|
			unix.IN_CLOSE_WRITE|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
		if err == nil {
			fresh = fresh || w.dirs[wd] == ""
			w.dirs[wd] = dir
		}
		w.few = w.few || err == unix.ENOSPC || err == unix.ENOMEM
	}
	return fresh
}

// wait waits for events and calls do for each: the folder, the name in it and what
// happened. It reports whether there may be more. A folder that is not watched may have
// changed after a while, as if events had been lost.
func (w *watcher) wait(do func(dir, name string, mask uint32)) bool {
	if w.few {
		ready := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}
		if n, _ := unix.Poll(ready, int(lookUnwatched.Milliseconds())); n == 0 {
			do("", "", unix.IN_Q_OVERFLOW)
			return true
		}
	}
	n, err := unix.Read(w.fd, w.buf)
	if err == unix.EINTR {
		return true
	}
	if err != nil || n < unix.SizeofInotifyEvent {
		return false
	}
	for events := w.buf[:n]; len(events) >= unix.SizeofInotifyEvent; {
		wd, mask := int(int32(binary.NativeEndian.Uint32(events))),
			binary.NativeEndian.Uint32(events[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(events[12:]))
		name, _, _ := bytes.Cut(events[unix.SizeofInotifyEvent:end], []byte{0})
		do(w.dirs[wd], string(name), mask)
		events = events[end:]
	}
	return true
}

// watchMissing moves aside the protected paths that appear, as long as this process lives.
// It does nothing else, so that nothing that a command makes holds it up. Folders on the
// way to such a path that are missing, too, or are replaced, are watched once they are made.
func (a *absence) watchMissing() {
	w := newWatcher(a.look)
	missing, dirs := map[string]bool{}, map[string]bool{}
	for _, path := range a.policy.Absent {
		missing[path], dirs[filepath.Dir(path)] = true, true
	}
	for again := true; ; {
		began := time.Now()
		for again {
			again = false
			for dir := range dirs {
				again = w.add(nearest(dir)) || again
			}
			a.look()
		}
		// For many files, a wake-up each takes most of the time.
		time.Sleep(max(time.Millisecond, 4*time.Since(began)))
		if !w.wait(func(dir, name string, mask uint32) {
			if path := filepath.Join(dir, name); missing[path] {
				a.move(path)
			}
			again = again || mask&(unix.IN_ISDIR|unix.IN_Q_OVERFLOW) != 0
		}) {
			return
		}
	}
}

// nearest returns dir, or the folder that is there of those in which it would be made.
func nearest(dir string) string {
	for dir != "/" {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// watchTrees looks for plants as repositories appear or change, as long as this process
// lives.
func (a *absence) watchTrees() {
	w := newWatcher(func() { a.hunt(false) })
	w.add(a.hunt(false)...)
	again := true // for what was made before the watch of its folder
	for {
		for dirty := again; !dirty; {
			if !w.wait(func(dir, name string, mask uint32) {
				dirty = dirty || telling(dir, name, mask)
			}) {
				return
			}
			if !dirty {
				time.Sleep(time.Millisecond)
			}
		}
		began := time.Now()
		again = w.add(a.hunt(false)...)
		// A command that makes many folders must not keep a processor busy here.
		time.Sleep(max(10*time.Millisecond, 20*time.Since(began)))
	}
}

// telling reports whether an event says that a repository may be new or changed.
func telling(dir, name string, mask uint32) bool {
	switch name {
	case ".git", "HEAD", "index", "config", "config.worktree", "commondir":
		return true
	}
	return mask&(unix.IN_ISDIR|unix.IN_Q_OVERFLOW) != 0 || filepath.Base(dir) == "hooks" ||
		policy.ToOthers(name)
}

// move sets aside what is at a protected path.
func (a *absence) move(path string) {
	a.moving.Lock()
	defer a.moving.Unlock()
	if setAside(path, nil) {
		a.done.setAside(path)
	}
}
