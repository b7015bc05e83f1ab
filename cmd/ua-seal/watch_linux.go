package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// A watch sees what appears and goes where sealed paths are, even for a moment.
type watch struct {
	s       *seal
	fd      int
	folders map[int32]string
	seen    []string
	done    chan struct{}
}

// watch begins to watch.
func (s *seal) watch() (w *watch, err error) {
	w = &watch{s: s, folders: map[int32]string{}, done: make(chan struct{})}
	if w.fd, err = unix.InotifyInit1(unix.IN_CLOEXEC); err != nil {
		return nil, prog.Errorf(prog.Trouble, "inotify: %v", err)
	}
	err = w.add(".")
	s.visit(func(p string, info fs.FileInfo) {
		if _, below := s.matches(p); below && info.IsDir() && err == nil {
			err = w.add(p)
		}
	})
	if err == nil {
		err = w.add(s.at)
	}
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "watching folders: %v", err).
			Hintf("patterns that begin with a folder, or a higher fs.inotify.max_user_watches")
	}
	go w.read()
	return w, nil
}

// add watches a folder.
func (w *watch) add(dir string) error {
	n, err := unix.InotifyAddWatch(w.fd, dir, unix.IN_CREATE|unix.IN_MOVED_TO|
		unix.IN_MOVED_FROM|unix.IN_DELETE|unix.IN_ONLYDIR|unix.IN_DONT_FOLLOW)
	if err == unix.EACCES || err == unix.ENOENT {
		return nil
	}
	w.folders[int32(n)] = dir
	return err
}

// read notes events until that of the end.
func (w *watch) read() {
	defer close(w.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			w.seen = append(w.seen, "(unwatched)")
			return
		}
		for at := 0; at < n; {
			// struct inotify_event of inotify(7): wd, mask, cookie and len, 32 bits each.
			wd := int32(binary.NativeEndian.Uint32(buf[at:]))
			mask := binary.NativeEndian.Uint32(buf[at+4:])
			name := buf[at+unix.SizeofInotifyEvent:][:binary.NativeEndian.Uint32(buf[at+12:])]
			at += unix.SizeofInotifyEvent + len(name)
			if !w.event(w.folders[wd], mask, string(bytes.TrimRight(name, "\x00"))) {
				return
			}
		}
	}
}

// event notes one event, unless it is the last.
func (w *watch) event(dir string, mask uint32, name string) bool {
	p := filepath.Join(dir, name)
	is, below := w.s.matches(p)
	for sealed := range w.s.Paths {
		is = is || mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0 && strings.HasPrefix(sealed, p+"/")
	}
	switch {
	case mask&unix.IN_Q_OVERFLOW != 0:
		w.seen = append(w.seen, "(too many events)")
	case dir == w.s.at:
		return name != endName
	case mask&unix.IN_IGNORED != 0:
	case is:
		w.seen = append(w.seen, p)
	case below && mask&unix.IN_ISDIR != 0:
		_ = w.add(p)
	}
	return true
}

// endName is the file in the seal whose making is the last event.
const endName = "end"

// stop ends the watch and returns the paths that were touched.
func (w *watch) stop() []string {
	_ = os.WriteFile(filepath.Join(w.s.at, endName), nil, 0o600)
	<-w.done
	unix.Close(w.fd)
	_ = os.Remove(filepath.Join(w.s.at, endName))
	return w.seen
}

// changed returns what tells that a file was changed: its number and the time of its last
// change, which nobody can set.
func changed(info fs.FileInfo) string {
	st := info.Sys().(*syscall.Stat_t)
	return fmt.Sprint(" ", st.Ino, st.Ctim)
}
