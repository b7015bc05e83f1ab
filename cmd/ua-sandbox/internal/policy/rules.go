package policy

import (
	"path/filepath"

	"ua/internal/common/config"
)

// rules guards the settings by which ua judges commands, in every profile: the
// user's, and the .ua of the project, which is in the working directory or above
// it. A command that could write them would loosen what the next is judged by.
// Naming them with --write lifts that.
func (p *Policy) rules() {
	p.guard(append([]string{config.Dir(), Absolute(config.Path())}, ownPrograms()...)...)
	for at := p.Dir; ; at = filepath.Dir(at) {
		p.project(filepath.Join(at, ".ua"))
		if at == "/" {
			return
		}
	}
}

// project guards a project's own settings, which can only tighten: to make some is
// no way out.
func (p *Policy) project(path string) {
	real, err := p.tree.existing(path)
	switch {
	case err != nil:
		p.Missing = append(p.Missing, path)
	case p.Writable(real) && !p.named(real):
		p.protect(path)
	}
}
