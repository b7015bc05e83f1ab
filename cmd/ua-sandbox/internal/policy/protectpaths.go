package policy

import (
	"path/filepath"
	"slices"
)

// keepReadOnly makes paths read-only: existing ones by a mount, the others are looked for
// when the run ends.
func (p *Policy) keepReadOnly(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		if err != nil {
			p.Missing = append(p.Missing, path)
			continue
		}
		if !slices.Contains(p.Protect, real) {
			p.Protect = append(p.Protect, real)
		}
		p.keepLink(path, real)
	}
}

// keepLink makes read-only the symbolic link through which a protected path is reached, so
// that nothing else can take the link's place.
func (p *Policy) keepLink(path, real string) {
	dir, err := p.tree.existing(filepath.Dir(path))
	if err != nil {
		return
	}
	if link := filepath.Join(dir, filepath.Base(path)); link != real && p.Writable(link) &&
		!slices.Contains(p.Protect, link) {
		p.Protect = append(p.Protect, link)
	}
}

// protect protects paths that the command could write, unless an option names them. What
// does not exist must not be created. Links in a circle are kept as they are, because a
// file in their place would be obeyed.
func (p *Policy) protect(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		switch {
		case err == errCircle && !p.named(path):
			p.keepLink(path, "")
		case err != nil:
			p.absent(path)
		case p.Writable(real) && !p.named(real) && !p.named(path):
			p.keepReadOnly(path)
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
	case p.Writable(real) && !p.named(real) && !slices.Contains(p.Write, real):
		p.keepReadOnly(path)
		p.Frozen = append(p.Frozen, real)
	}
}

// absent records a protected path that does not exist, if the command could create it.
func (p *Policy) absent(path string) {
	rest, dir := filepath.Base(path), filepath.Dir(path)
	real, err := p.tree.existing(dir)
	for err != nil && dir != "/" {
		rest, dir = filepath.Join(filepath.Base(dir), rest), filepath.Dir(dir)
		real, err = p.tree.existing(dir)
	}
	at := filepath.Join(real, rest)
	if err == nil && p.Writable(real) && !p.named(path) && !p.named(at) &&
		!slices.Contains(p.Absent, at) {
		p.Absent = append(p.Absent, at)
	}
}

// named reports whether an option names the path as writable.
func (p *Policy) named(path string) bool { return slices.Contains(p.Grants, path) }
