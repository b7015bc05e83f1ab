//go:build linux

package manifest

import (
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// Load returns the manifest of a try whose command has ended. If none was written at that
// time, it makes and writes one. The caller holds the try's lock.
func Load(t *try.Try) ([]Entry, error) {
	list, err := read(t)
	if errors.Is(err, fs.ErrNotExist) {
		if list, err = Scan(t); err == nil {
			err = Save(t, list)
		}
	}
	return list, err
}

// Peek returns what Load does, but writes nothing.
func Peek(t *try.Try) ([]Entry, error) {
	list, err := read(t)
	if errors.Is(err, fs.ErrNotExist) {
		return Scan(t)
	}
	return list, err
}

// A scanner compares the layers of a try with the folders that they cover.
type scanner struct {
	cover int
	tree.Layers
	began  tree.Stamp
	list   []Entry
	lost   map[string]bool   // paths of files that the command changed and somebody else deleted
	shared map[uint64][]name // names in the upper layer by the inode that they share
}

// A name is a path in the upper layer and the index of its entry, or -1 for an unchanged
// copy of the lower file.
type name struct {
	path  string
	entry int
}

// Scan lists what a try changed. The folders are read as they are now. What others have
// changed in them since the try began is known by the ctime, which nobody can set
// (inode(7)), and what they have deleted by end.json.
func Scan(t *try.Try) (list []Entry, err error) {
	end := t.End()
	for i, c := range t.Covers {
		lower, upper, err := layers(t, i)
		if err != nil {
			return nil, err
		}
		s := &scanner{cover: i, began: t.Began, lost: map[string]bool{}, shared: map[uint64][]name{},
			Layers: tree.Layers{Lower: lower, Upper: upper, Xattrs: t.Xattrs, Most: -1}}
		for j := 0; end != nil && j < len(end.Deleted); j++ {
			if p := end.Deleted[j]; p.Cover == i {
				s.lost[string(p.Path)] = true
			}
		}
		// Times in whole seconds: a change in the first second counts as later.
		if c.Coarse {
			s.began = t.Began / 1e9 * 1e9
		}
		err = s.root()
		lower.Close()
		upper.Close()
		if err != nil {
			return nil, err
		}
		s.hardLinks()
		slices.SortFunc(s.list, Compare)
		list = append(list, s.list...)
	}
	return list, nil
}

// layers opens a covered folder and its upper layer, into which this user is let also
// where folders keep their owner out.
func layers(t *try.Try, cover int) (lower, upper *tree.Root, err error) {
	if lower, err = tree.Open(string(t.Covers[cover].Path)); err != nil {
		return nil, nil, err
	}
	if upper, err = tree.Open(t.Upper(cover)); err != nil {
		lower.Close()
		return nil, nil, err
	}
	upper.Unlocks = true
	return lower, upper, nil
}

// root compares the cover itself and all that is in it.
func (s *scanner) root() error {
	before, err := s.Lower.At(".").Lstat()
	if err != nil {
		return err
	}
	after, err := s.Upper.At(".").Lstat()
	if err != nil {
		return err
	}
	if before.UID != after.UID { // another's folder: its upper one could not be given to them
		after.UID, after.GID, after.Mode = before.UID, before.GID, before.Mode
	}
	if err := s.both(".", before, after); err != nil {
		return err
	}
	return s.Walk(s.compare)
}

// add adds an entry to the list.
func (s *scanner) add(rel string, status Status, before, after *tree.File, raced bool) {
	e := Entry{Cover: s.cover, Path: tree.Name(rel), Status: status, Before: before, After: after,
		Raced: raced}
	s.share(rel, after, len(s.list))
	s.list = append(s.list, e)
}

// share notes a name of the upper layer whose file has several.
func (s *scanner) share(rel string, after *tree.File, entry int) {
	if after != nil && !after.IsFolder() && after.Links > 1 {
		s.shared[after.Ino] = append(s.shared[after.Ino], name{rel, entry})
	}
}

// late reports whether a file of the folder was changed after the try began.
func (s *scanner) late(f *tree.File) bool { return f != nil && f.Ctime >= s.began }

// compare notes a path at which the try has changed something.
func (s *scanner) compare(rel string, before, after *tree.File) error {
	switch {
	case after == nil:
		s.add(rel, Deleted, before, nil, !before.IsFolder() && s.late(before))
	case before == nil:
		s.add(rel, Added, nil, after, s.lost[rel] && !after.IsFolder())
	case before.Type != after.Type:
		s.add(rel, Retyped, before, after, !before.IsFolder() && s.late(before))
	default:
		return s.both(rel, before, after)
	}
	return nil
}

// both notes a path whose file has the same type before and after, if anything differs.
func (s *scanner) both(rel string, before, after *tree.File) error {
	low, up := s.Lower.At(rel), s.Upper.At(rel)
	same := before.SameMeta(after)
	if same {
		a, err := low.Attributes()
		if err != nil {
			return err
		}
		b, err := up.Attributes()
		if err != nil {
			return err
		}
		same = a.Equal(b)
	}
	if same && !before.IsFolder() {
		var err error
		if same, err = tree.SameContent(low, up, before, after); err != nil &&
			!errors.Is(err, unix.EACCES) {
			return err
		}
	}
	switch {
	case !same:
		s.add(rel, Modified, before, after, s.late(before))
	// A new file of the same content counts too: the command has replaced the old one.
	case before.Mtime != after.Mtime || !before.IsFolder() && s.isNew(up):
		s.add(rel, Timed, before, after, s.late(before))
	default:
		s.share(rel, after, -1)
	}
	return nil
}

// isNew reports whether a file of the upper layer was made in place of the lower one,
// rather than copied from it.
func (s *scanner) isNew(up tree.Place) bool {
	return up.Attribute(s.Xattrs+".overlay.origin") == nil
}

// hardLinks turns new names of a file into links to it. A file that the kernel copied up
// only to give it another name is still that file.
func (s *scanner) hardLinks() {
	for _, names := range s.shared {
		same := ""
		for _, n := range names {
			if n.entry < 0 {
				same = n.path
			}
		}
		for _, n := range names {
			if same != "" && n.entry >= 0 {
				s.list[n.entry].Link = tree.Name(same)
			}
		}
	}
}
