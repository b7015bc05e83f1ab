//go:build linux

package landing

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// A Finder knows where both sides of a try's changes are. Before an apply they are in the
// folder and in the upper layer. After it, what was replaced is in the try, and the new
// side in the folder.
type Finder struct {
	t     *try.Try
	old   map[string]string // where what was at a path is kept
	trees []string          // those of them that are removed trees
}

// Find returns the Finder of a try, by what its plans have applied.
func Find(t *try.Try) (*Finder, error) {
	plans, err := Plans(t)
	if err != nil {
		return nil, err
	}
	f := &Finder{t: t, old: map[string]string{}}
	for _, p := range plans {
		if p.State != Applied {
			continue
		}
		for i := range p.Steps {
			f.note(p, i)
		}
	}
	return f, nil
}

// note notes where a step has put the old file.
func (f *Finder) note(p *Plan, i int) {
	s := &p.Steps[i]
	if s.Kind != Replace && s.Kind != Remove {
		return
	}
	full := filepath.Join(string(f.t.Covers[s.Cover].Path), string(s.Path))
	if string(p.Areas[s.Cover]) == f.t.Dir {
		f.old[full] = filepath.Join(f.t.Dir, string(s.Slot))
	} else {
		f.old[full] = filepath.Join(f.t.Path(try.LandingDir), strconv.Itoa(p.Number)+".kept",
			strconv.Itoa(i))
	}
	if s.Before.IsFolder() {
		f.trees = append(f.trees, full)
	}
}

// Sides returns the paths of an entry's file before and after; "" is no file.
func (f *Finder) Sides(e *manifest.Entry) (before, after string) {
	full := filepath.Join(string(f.t.Covers[e.Cover].Path), string(e.Path))
	if e.Applied != 0 {
		if e.After != nil {
			after = full
		}
		return f.kept(e, full), after
	}
	if e.Before != nil {
		before = full
	}
	if e.After == nil {
		return before, ""
	}
	// A link whose own name was not made is found under its other name.
	upper := f.t.Upper(e.Cover)
	for _, path := range []string{filepath.Join(upper, string(e.Path)),
		filepath.Join(upper, string(e.Link))} {
		if _, err := os.Lstat(path); err == nil {
			return before, path
		}
	}
	return before, filepath.Join(string(f.t.Covers[e.Cover].Path), string(e.Link))
}

// kept returns the path of what an applied entry has replaced, "" for nothing.
func (f *Finder) kept(e *manifest.Entry, full string) string {
	if e.Before == nil {
		return ""
	}
	if path, ok := f.old[full]; ok {
		return path
	}
	for _, top := range f.trees {
		if rest, ok := strings.CutPrefix(full, top+"/"); ok {
			return filepath.Join(f.old[top], rest)
		}
	}
	if e.Before.Type == tree.Folder {
		return full
	}
	return ""
}
