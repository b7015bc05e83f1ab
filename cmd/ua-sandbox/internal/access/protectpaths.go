package access

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// keepReadOnly makes paths read-only that exist, and the links that lead to them.
func (p *Policy) keepReadOnly(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		if err == nil && !slices.Contains(p.Protect, real) {
			p.Protect = append(p.Protect, real)
		}
		p.keepLinks(path)
	}
}

// keepLinks makes read-only every symbolic link on the way to a protected path that the
// command could replace, wherever the way ends: what took the place of one would be obeyed.
// It returns these links.
func (p *Policy) keepLinks(path string) (kept []string) {
	for _, link := range p.tree.links(path) {
		if !p.Writable(link) {
			continue
		}
		kept = append(kept, link)
		if !slices.Contains(p.Protect, link) {
			p.Protect = append(p.Protect, link)
		}
	}
	return kept
}

// protect protects paths that the command could write, unless an option names them. What
// does not exist must not be created.
func (p *Policy) protect(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		switch {
		case p.named(path) || err == nil && p.named(real):
		case err == nil && p.Writable(real):
			p.keepReadOnly(path)
		case err == nil || err == syscall.ELOOP: // links that lead to each other
			p.keepLinks(path)
		default:
			p.absent(path)
		}
	}
}

// freeze protects a path even where only Landlock can: the folders above it accept no new
// entries.
func (p *Policy) freeze(path string) {
	real, err := p.tree.existing(path)
	switch {
	case err != nil:
		p.absent(path)
	case p.named(real) || slices.Contains(p.Write, real):
		return
	case p.Writable(real):
		p.keepReadOnly(path)
		p.Frozen = append(p.Frozen, real)
	}
	p.Frozen = append(p.Frozen, p.keepLinks(path)...)
}

// protectLinked protects what symbolic links of some names in the folder lead to, and in the
// folders in it: people keep settings elsewhere and link to them.
func (p *Policy) protectLinked(dir string, depth int, some func(name string) bool) {
	f, err := openFolder(dir)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Type()&fs.ModeSymlink != 0 && some(e.Name()) {
			p.protect(path)
		}
		if depth > 1 && e.Type()&(fs.ModeSymlink|fs.ModeDir) != 0 {
			p.protectLinked(path, depth-1, some)
		}
	}
}

// absent records a protected path that does not exist, if the command could create it. A
// link that leads nowhere stays, and what it would lead to is recorded.
func (p *Policy) absent(path string) {
	rest, dir := filepath.Base(path), filepath.Dir(path)
	real, err := p.tree.existing(dir)
	for err != nil && dir != "/" {
		rest, dir = filepath.Join(filepath.Base(dir), rest), filepath.Dir(dir)
		real, err = p.tree.existing(dir)
	}
	at := filepath.Join(real, rest)
	if err != nil || p.named(path) || p.named(at) {
		return
	}
	p.keepLinks(path)
	first, below, _ := strings.Cut(rest, "/")
	if next := filepath.Join(real, first); p.tree.kind(next) == link {
		if _, at = chain(next); at == "" {
			return
		}
		at = filepath.Join(at, below)
	}
	if p.Writable(at) && !slices.Contains(p.Absent, at) {
		p.Absent = append(p.Absent, at)
	}
}

// named reports whether an option names the path as writable.
func (p *Policy) named(path string) bool { return slices.Contains(p.Grants, path) }
