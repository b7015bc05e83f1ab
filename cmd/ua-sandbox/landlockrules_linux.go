package main

import (
	"os"
	"slices"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// locks returns the confinement for the thread of the command. What a view cannot do at a
// lower tier, Landlock and the filter have to do.
func locks(pl *plan) layer.Confinement {
	view, host := pl.Tier >= 3, pl.Network == policy.NetHost
	c := layer.Confinement{Keyring: true, Caps: layer.NoCaps}
	switch {
	case pl.Override && view:
		c.Caps = layer.OwnerCaps
	case pl.Override: // no mount keeps modes and owners of the machine's files
		c.Caps = layer.AccessCaps
	}
	// Such a root is there to install packages, and needs its capabilities for that.
	if pl.Profile == verdict.ProfileNone && pl.Tier == 3 && os.Getuid() == 0 {
		c.Caps = layer.RootCaps
	}
	if pl.Tier >= 2 {
		rules := append(pl.Files.Rules(), confine.Handed()...)
		c.Landlock = &confine.Landlock{Files: true, TCP: !view && !host, Scopes: !host, Rules: rules}
	}
	if host {
		return c
	}
	c.Filter = &confine.Filter{Surface: true, SelfOnly: pl.Tier < 4}
	// Without namespaces the filter has to keep commands from IPC and from the network.
	if !view {
		c.Filter.NoIPC = true
		c.Filter.NoMeta = pl.Files.ReadOnly
		c.Filter.NoInet = true
	}
	return c
}

// files returns the file rules of a policy at a tier. Without a view, Landlock alone
// protects the secrets, and the machine's disks and terminals.
func files(p *policy.Policy, tier int, tmp []string) confine.Files {
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
