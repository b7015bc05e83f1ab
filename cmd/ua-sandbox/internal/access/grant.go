package access

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// grant sets what the profile and the options let the command do. Paths that options name
// must exist.
func (p *Policy) grant(o Options) (err error) {
	switch p.Profile {
	case verdict.ProfileReadOnly:
	case verdict.ProfileWorkspace:
		p.Write = []string{p.Dir}
	case verdict.ProfileNetwork:
		p.Write, p.Network = []string{p.Dir}, NetProxy
	case verdict.ProfileNone:
		p.Write, p.Network = []string{"/"}, NetHost
	}
	// Naming a host asks for the proxy, whatever the profile.
	if (o.NetLive || len(o.NetAllow)+len(o.Inject) > 0) && p.Network == NetOwn {
		p.Network = NetProxy
	}
	for _, list := range []struct {
		option string
		from   []string
		to     *[]string
	}{{"--write", o.Write, &p.Write}, {"--grant", o.Grants, &p.Write}, {"--read", o.Read, &p.Read},
		{"--socket", o.Sockets, &p.Sockets}} {
		for _, path := range list.from {
			real, err := p.tree.existing(path)
			if err == nil {
				err = p.Steady(path)
			}
			if err == nil && list.option == "--grant" && real != path {
				err = errors.New("a symbolic link is in it now")
			}
			if err != nil {
				return fmt.Errorf("%s %q: %w", list.option, path, err)
			}
			if !slices.Contains(*list.to, real) {
				*list.to = append(*list.to, real)
			}
			// A grant of a folder does not name what is protected in it.
			if list.to == &p.Write && (list.option != "--grant" || Hidden(filepath.Base(real))) {
				p.Grants = append(p.Grants, real)
			}
		}
	}
	if p.Tmp.Dir != "" {
		if err := p.Steady(p.Tmp.Dir); err != nil {
			return fmt.Errorf("--tmp %q: %w", p.Tmp.Dir, err)
		}
	}
	return nil
}

// Steady returns an error if a part of path is a symbolic link in a folder that the
// command may write. This command, or an earlier one, could turn the link elsewhere. The
// working folder counts under every profile, because an earlier command may have had
// another one.
func (p *Policy) Steady(path string) error {
	path = Absolute(path)
	for at := path; at != "/"; at = filepath.Dir(at) {
		if p.tree.kind(at) != link {
			continue
		}
		if in, err := p.tree.existing(filepath.Dir(at)); err == nil &&
			p.Profile != verdict.ProfileNone && (p.Writable(in) || confine.Under(in, p.Dir)) {
			return fmt.Errorf("%q is a symbolic link in a folder that the command may write", at)
		}
	}
	return nil
}
