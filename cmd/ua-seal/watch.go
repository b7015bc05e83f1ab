package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"ua/internal/common/prog"
)

// A watch sees what appears and goes where sealed paths are, even for a moment.
type watch struct {
	*fsnotify.Watcher
	s    *seal
	seen []string
	done chan struct{}
}

// watch begins to watch, and looks at what is there.
func (s *seal) watch() (w *watch, before map[string]string, err error) {
	w = &watch{s: s, done: make(chan struct{})}
	if w.Watcher, err = fsnotify.NewBufferedWatcher(4096); err == nil {
		err = errors.Join(w.Add(s.at), w.Add("."))
	}
	before = s.look(true, func(p string, info fs.FileInfo) {
		if _, below := s.matches(p); below && info.IsDir() && err == nil {
			if err = w.Add(p); errors.Is(err, fs.ErrPermission) {
				err = nil
			}
		}
	})
	if err != nil {
		return nil, nil, prog.Errorf(prog.Trouble, "watching folders: %v", err).
			Hintf("patterns that begin with a folder, or a higher fs.inotify.max_user_watches")
	}
	go w.read()
	return w, before, nil
}

// end is the file in the seal whose making is the last event.
func (w *watch) end() string { return filepath.Join(w.s.at, "end") }

// read notes what is touched until the last event.
func (w *watch) read() {
	defer close(w.done)
	for {
		select {
		case err := <-w.Errors: // there were too many events to keep
			w.seen = append(w.seen, "("+err.Error()+")")
		case e := <-w.Events:
			p := filepath.Clean(e.Name)
			is, below := w.s.matches(p)
			for sealed := range w.s.Paths { // a folder above it has gone
				is = is || !e.Has(fsnotify.Create) && strings.HasPrefix(sealed, p+"/")
			}
			switch {
			case e.Name == w.end():
				return
			case !e.Has(fsnotify.Create | fsnotify.Remove | fsnotify.Rename):
			case is:
				w.seen = append(w.seen, p)
			case below && e.Has(fsnotify.Create):
				if info, err := os.Lstat(p); err == nil && info.IsDir() {
					_ = w.Add(p)
				}
			}
		}
	}
}

// stop ends the watch and returns the paths that were touched.
func (w *watch) stop() []string {
	_ = os.WriteFile(w.end(), nil, 0o600)
	<-w.done
	_ = w.Close()
	_ = os.Remove(w.end())
	return w.seen
}
