package policy

import (
	"path/filepath"
	"slices"

	"ua/internal/common/config"
)

// rules guards the settings by which ua judges commands, in every profile: the
// user's, and the .ua of the project, which is in the working directory or above
// it. A command that could write them would loosen what the next is judged by.
// Naming them with --write lifts that.
func (p *Policy) rules() {
	list := []string{config.Dir()}
	for at := p.Dir; ; at = filepath.Dir(at) {
		list = append(list, filepath.Join(at, ".ua"))
		if at == "/" {
			break
		}
	}
	for _, path := range list {
		real, err := existing(path)
		switch {
		case err != nil:
			p.Missing = append(p.Missing, path)
		case p.Writable(real) && !slices.Contains(p.Write, real):
			p.protect(path)
		}
	}
}
