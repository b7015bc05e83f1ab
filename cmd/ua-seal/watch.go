package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"

	"ua/internal/common/prog"
)

// watch begins to watch what appears and goes where sealed paths are, even for a moment. stop
// returns the paths that were touched since.
func (s *seal) watch() (stop func() []string, err error) {
	w, err := fsnotify.NewBufferedWatcher(4096)
	if err == nil {
		err = errors.Join(w.Add(s.at), w.Add("."))
	}
	add := func(dir string) {
		if err == nil {
			if err = w.Add(dir); errors.Is(err, fs.ErrPermission) {
				err = nil // nothing is sealed in there
			}
		}
	}
	before := s.look(true, add)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "watching folders: %v", err).
			Hintf("patterns that begin with a folder, or a higher fs.inotify.max_user_watches")
	}
	seen := make(chan []string)
	go func() { seen <- s.read(w) }()
	return func() []string {
		_ = os.WriteFile(s.in(last), nil, 0o600)
		touched := append(<-seen, differ(before, s.look(true, ignore))...)
		slices.Sort(touched)
		return slices.Compact(touched)
	}, nil
}

// last is the file in the seal whose making is the last event.
const last = "end"

// read returns what is touched until the last event.
func (s *seal) read(w *fsnotify.Watcher) (seen []string) {
	defer os.Remove(s.in(last))
	defer w.Close()
	for {
		select {
		case err := <-w.Errors: // there were too many events to keep
			seen = append(seen, "("+err.Error()+")")
		case e := <-w.Events:
			p := filepath.Clean(e.Name)
			is, below := s.matches(p)
			switch {
			case e.Name == s.in(last):
				return seen
			case !e.Has(fsnotify.Create | fsnotify.Remove | fsnotify.Rename):
			case is, s.Paths[p] != "":
				seen = append(seen, p)
			case below && e.Has(fsnotify.Create):
				if info, err := os.Lstat(p); err == nil && info.IsDir() {
					_ = w.Add(p)
				}
			}
		}
	}
}
