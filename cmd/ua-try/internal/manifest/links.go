//go:build linux

package manifest

import (
	"io/fs"
	"path/filepath"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// hardLinks tells which of the files are further names of others.
func (s *scanner) hardLinks() error {
	for _, names := range s.shared {
		for _, n := range names {
			if n.entry < 0 {
				s.linkTo(n.path, names)
				break
			}
		}
	}
	return s.otherNames()
}

// linkTo has the changed ones of a file's names be links to the one that the
// folder has as it is.
func (s *scanner) linkTo(path string, names []name) {
	for _, n := range names {
		if n.entry >= 0 {
			s.list[n.entry].Link = tree.Name(path)
		}
	}
}

// otherNames adds entries for the other names of files that were changed. With
// the overlay's index, which root has, the command saw the change under each
// of them, though only the name that it wrote to is in the upper layer.
func (s *scanner) otherNames() error {
	if s.t.Xattrs != "trusted" || len(s.linked) == 0 || !s.indexed() {
		return nil
	}
	known := map[string]bool{}
	for _, e := range s.list {
		known[string(e.Path)] = true
	}
	return filepath.WalkDir(s.lower, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(s.lower, p)
		if err != nil || known[rel] {
			return err
		}
		f, err := tree.Lstat(p)
		if err != nil || f == nil || f.Links < 2 {
			return err
		}
		for _, i := range s.linked[f.Ino] {
			e := s.list[i]
			if s.isNew(filepath.Join(s.upper, string(e.Path))) {
				continue // another file under that name: the old one's links were left alone
			}
			after := *e.After
			s.list = append(s.list, Entry{
				Cover: s.cover, Path: tree.Name(rel), Status: e.Status, Before: f, After: &after, Link: e.Path, Raced: s.late(f),
			})
			break
		}
		return nil
	})
}

// indexed says whether the layer's overlay had an index.
func (s *scanner) indexed() bool {
	f, err := tree.Lstat(filepath.Join(s.t.Work(s.cover), "index"))
	return err == nil && f.IsFolder()
}

// Tidy removes the folder in which the kernel prepared changes. The index in it
// has a further link to each file with several names.
func Tidy(t *try.Try) error {
	for i := range t.Covers {
		if err := tree.Remove(t.Work(i)); err != nil {
			return err
		}
	}
	return nil
}
