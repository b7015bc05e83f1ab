//go:build linux

package manifest

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
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
	t      *try.Try
	cover  int
	lower  *tree.Root
	upper  *tree.Root
	began  tree.Stamp
	opaque string // name of the attribute that marks a folder as replaced
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
		s := &scanner{t: t, cover: i, lower: lower, upper: upper, began: t.Began,
			lost: map[string]bool{}, shared: map[uint64][]name{}}
		for j := 0; end != nil && j < len(end.Deleted); j++ {
			if p := end.Deleted[j]; p.Cover == i {
				s.lost[string(p.Path)] = true
			}
		}
		s.opaque = t.Xattrs + ".overlay.opaque"
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
	before, err := s.lower.At(".").Lstat()
	if err != nil {
		return err
	}
	after, err := s.upper.At(".").Lstat()
	if err != nil {
		return err
	}
	if before.UID != after.UID { // another's folder: its upper one could not be given to them
		after.UID, after.GID, after.Mode = before.UID, before.GID, before.Mode
	}
	if err := s.both(".", before, after); err != nil {
		return err
	}
	return s.folder(".", true, false)
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

// folder compares a folder of the upper layer with the lower one at the same path. below
// says that there is one, and replaced that the upper one hides it.
func (s *scanner) folder(rel string, below, replaced bool) error {
	names, err := s.upper.At(rel).Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.compare(path.Join(rel, name), below, replaced); err != nil {
			return err
		}
	}
	if !below || !replaced {
		return nil
	}
	// Nothing marks what a replaced folder no longer has.
	old, err := s.lower.At(rel).Names()
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	for _, name := range old {
		if _, found := slices.BinarySearch(names, name); !found {
			if err := s.gone(path.Join(rel, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare compares one name of the upper layer. In a folder that replaces a lower one,
// everything replaces.
func (s *scanner) compare(rel string, below, replaced bool) error {
	after, err := s.upper.At(rel).Lstat()
	if err != nil || after == nil {
		return err
	}
	var before *tree.File
	if below {
		if before, err = s.lower.At(rel).Lstat(); err != nil {
			return err
		}
	}
	switch {
	case after.Whiteout():
		if before == nil {
			return nil // the user has removed it too
		}
		return s.gone(rel)
	case before == nil:
		s.add(rel, Added, nil, after, s.lost[rel] && !after.IsFolder())
	case before.Type != after.Type:
		return s.retyped(rel, before, after)
	default:
		if err := s.both(rel, before, after); err != nil {
			return err
		}
	}
	if !after.IsFolder() {
		return nil
	}
	if before != nil && !replaced {
		replaced = string(s.upper.At(rel).Attribute(s.opaque)) == "y"
	}
	return s.folder(rel, before != nil, replaced)
}

// retyped notes a path that has a file of another type now.
func (s *scanner) retyped(rel string, before, after *tree.File) error {
	s.add(rel, Retyped, before, after, !before.IsFolder() && s.late(before))
	if before.IsFolder() {
		return s.under(rel)
	}
	if after.IsFolder() {
		return s.folder(rel, false, false)
	}
	return nil
}

// gone notes a path that was removed, and all that was below it.
func (s *scanner) gone(rel string) error {
	before, err := s.lower.At(rel).Lstat()
	if err != nil || before == nil {
		return err
	}
	s.add(rel, Deleted, before, nil, !before.IsFolder() && s.late(before))
	if !before.IsFolder() {
		return nil
	}
	return s.under(rel)
}

// under notes all that was in a removed folder.
func (s *scanner) under(rel string) error {
	names, err := s.lower.At(rel).Names()
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOENT) {
		return nil // its mode kept the user out; the command had it changed first
	}
	for _, name := range names {
		if err == nil {
			err = s.gone(path.Join(rel, name))
		}
	}
	return err
}

// both notes a path whose file has the same type before and after, if anything differs.
func (s *scanner) both(rel string, before, after *tree.File) error {
	low, up := s.lower.At(rel), s.upper.At(rel)
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
	return up.Attribute(s.t.Xattrs+".overlay.origin") == nil
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
