package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// A folder is where files of output go. It is made when the first is needed.
type folder struct {
	mu   sync.Mutex
	path string // as --dir says, "" for a private folder
	open bool   // it is made, and path is absolute
}

// create makes a file for the output of a call, which only the user can read.
func (f *folder) create(c *call, suffix string) (*os.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.make(); err != nil {
		return nil, err
	}
	return os.CreateTemp(f.path, safeName(c.id)+"-*"+suffix)
}

func (f *folder) make() (err error) {
	switch {
	case f.open:
		return nil
	case f.path == "":
		f.path, err = os.MkdirTemp("", "ua-exec-")
	default:
		if f.path, err = filepath.Abs(f.path); err == nil {
			err = os.MkdirAll(f.path, 0o700)
		}
	}
	f.open = err == nil
	return err
}

// made is the folder's path, or "" while there is none.
func (f *folder) made() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.open {
		return ""
	}
	return f.path
}

// safeName is a call's id as a part of a file's name.
func safeName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
	return name[:min(len(name), 40)]
}
