package access

import (
	"fmt"
	"slices"
	"syscall"

	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// hide sets the masks: secrets that no option names, and the paths of --deny, which
// nothing lifts. It returns an error if the command could redirect a symbolic link on the
// way to a secret, since the next run would then hide the wrong place.
func (p *Policy) hide(o Options) error {
	t := &p.tree
	var asked []string
	for _, path := range slices.Concat(o.Read, o.Write) {
		asked = append(asked, Absolute(path), t.realOr(path))
	}
	var found []location
	if !o.Inside {
		found = secrets(t, p.Home, p.Owners.homes())
		p.hideHomes()
	}
	for _, s := range found {
		if slices.Contains(asked, s.path) {
			continue
		}
		p.mask(t, s.path, false)
		if s.link == "" || p.Profile == verdict.ProfileNone ||
			slices.Contains(found, location{path: t.realOr(s.path)}) {
			continue // no link leads there, or what it leads to is hidden by its own name
		}
		for _, link := range t.links(s.link) {
			if p.Writable(link) {
				return fmt.Errorf("%q is a symbolic link to a secret, in a folder that the "+
					"command may write", link)
			}
		}
	}
	for _, path := range o.Deny {
		real := t.realOr(path)
		beneath := func(grant string) bool { return confine.Under(grant, real) }
		p.Grants = slices.DeleteFunc(p.Grants, beneath)
		p.Write, p.Read, p.Sockets = slices.DeleteFunc(p.Write, beneath),
			slices.DeleteFunc(p.Read, beneath), slices.DeleteFunc(p.Sockets, beneath)
		p.mask(t, Absolute(path), false)
	}
	for _, m := range p.Masks {
		if confine.Under(p.Dir, m.Path) {
			return fmt.Errorf("the working directory %s can't be read (%s)", p.Dir, m.Path)
		}
	}
	if !o.Inside && p.Profile != verdict.ProfileNone {
		p.tree.list("/run") // where most of them would be
		for _, path := range foreign(append([]string{p.Dir}, p.Write...)) {
			p.mask(t, path, true)
		}
	}
	return nil
}

// mask adds a mask for what path leads to. It adds none for a socket that was asked for,
// nor for a folder of sockets that is the working folder or was granted by name.
func (p *Policy) mask(t *tree, path string, socket bool) {
	path, err := t.existing(path)
	if err != nil {
		return
	}
	if socket && slices.Contains(p.Shown(), path) ||
		slices.ContainsFunc(p.Masks, func(m Mask) bool { return m.Path == path }) {
		return
	}
	p.Masks = append(p.Masks, Mask{path, t.kind(path) == folder, socket})
}

// hideHomes hides the homes of all other accounts from a root who may use the files of
// owners. Without a user namespace that power reaches the files of everybody.
func (p *Policy) hideHomes() {
	if !p.Owners.Any() {
		return
	}
	for _, a := range accounts() {
		var stat syscall.Stat_t
		if a.uid != 0 && !slices.Contains(p.Owners.UIDs, a.uid) && syscall.Stat(a.home, &stat) == nil &&
			int(stat.Uid) == a.uid && !slices.ContainsFunc(p.Shown(),
			func(path string) bool { return confine.Under(path, a.home) }) {
			p.mask(&p.tree, a.home, false)
		}
	}
}
