package plan

import (
	"slices"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// files returns the file rules of a policy at a tier. Without a view, Landlock alone
// protects the secrets, and the machine's disks and terminals.
func files(p *access.Policy, tier int, tmp []string) confine.Files {
	f := confine.Files{All: p.Profile == verdict.ProfileNone,
		ReadOnly: p.Profile == verdict.ProfileReadOnly, View: tier >= 3,
		Write: p.Write, Frozen: p.Frozen, Sockets: p.Sockets, Tmp: tmp}
	if f.View {
		return f
	}
	shown := slices.Concat(p.Shown(), tmp)
	for _, m := range p.Masks {
		if !m.Socket || m.Dir { // a right of its own is for sockets; beside them lie pipes and tokens
			f.Hidden = append(f.Hidden, m.Path)
		}
	}
	for _, path := range shown { // as the view of a higher tier shows them
		if slices.ContainsFunc(f.Hidden,
			func(h string) bool { return path != h && confine.Under(path, h) }) {
			f.Shown = append(f.Shown, path)
		}
	}
	if !f.All {
		f.Hidden = append(f.Hidden, "/dev")
	}
	return f
}
