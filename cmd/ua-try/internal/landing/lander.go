//go:build linux

package landing

import (
	"path/filepath"
	"strconv"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// A lander applies one try and takes it back.
type lander struct {
	t      *try.Try
	list   []manifest.Entry
	home   *tree.Root // the try's folder
	covers []*tree.Root
	areas  []*tree.Root               // where slots lie, for each cover
	swaps  []*tree.File               // what a cut exchange has left in each area
	cut    map[string]map[uint64]bool // of a plan, the inodes of what was at each path before it
	say    func(format string, a ...any)
}

// newLander opens the try's folder and the folders that it covers, once for all that a
// landing does. The caller closes them.
func newLander(t *try.Try, say func(string, ...any)) (l *lander, err error) {
	l = &lander{t: t, say: say}
	if l.home, err = tree.Open(t.Dir); err != nil {
		return l, err
	}
	l.home.Unlocks = true
	for _, c := range t.Covers {
		r, err := tree.Open(string(c.Path))
		if err != nil {
			return l, err
		}
		r.Unlocks = true
		l.covers = append(l.covers, r)
	}
	return l, nil
}

// close closes all folders. Those that were unlocked get their modes back.
func (l *lander) close() {
	l.leave()
	for _, r := range append(l.covers, l.home) {
		r.Close()
	}
}

// real returns the place of a step in the folder, and slot the one of its other file.
func (l *lander) real(s *Step) tree.Place { return l.covers[s.Cover].At(string(s.Path)) }
func (l *lander) slot(s *Step) tree.Place { return l.areas[s.Cover].At(string(s.Slot)) }

// upper returns the place of a path in a layer of the try.
func (l *lander) upper(cover int, path tree.Name) tree.Place {
	return l.home.At(filepath.Join("layers", strconv.Itoa(cover), "upper", string(path)))
}
