package policy

import (
	"path/filepath"
	"slices"
)

// protect makes paths read-only: the existing ones by a mount, the others by a
// look at the end of the run.
func (p *Policy) protect(paths ...string) {
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

// keepLink makes the symbolic link read-only by which a guarded path is reached,
// so that no other file takes its place.
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

// guard is protect for what the command could write, unless an option names it.
// What is not there must not be made. A link that leads in a circle is kept as it
// is: what takes its place would be obeyed.
func (p *Policy) guard(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		switch {
		case err == errCircle && !p.named(path):
			p.keepLink(path, "")
		case err != nil:
			p.absent(path)
		case p.Writable(real) && !p.named(real) && !p.named(path):
			p.protect(path)
		}
	}
}

// freeze guards a path also where only Landlock can: the folders above it take no
// new entries there.
func (p *Policy) freeze(path string) {
	real, err := p.tree.existing(path)
	switch {
	case err != nil:
		p.absent(path)
	case p.Writable(real) && !p.named(real) && !slices.Contains(p.Write, real):
		p.protect(path)
		p.Frozen = append(p.Frozen, real)
	}
}

// absent notes a guarded path that is not there, if the command could make it.
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

// named reports whether an option lets the path be written by name.
func (p *Policy) named(path string) bool { return slices.Contains(p.Grants, path) }
