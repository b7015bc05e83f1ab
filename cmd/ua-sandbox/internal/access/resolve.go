package access

import (
	"fmt"
	"slices"

	"ua/internal/common/verdict"
)

// Resolve returns the policy for the options o in the working folder dir. o must have
// gone through Expand. What is granted is settled first, because masks and what is
// protected depend on what can be written.
func Resolve(o Options, dir string) (*Policy, error) {
	p := &Policy{Profile: verdict.Profile(o.Profile), Home: home(), Network: NetOwn,
		Allow: o.NetAllow, Capture: o.NetCapture,
		Inject: o.Inject, Tmp: o.Tmp, Limits: o.Limits, Strict: o.Strict,
		RootOK: o.RootOK, Tier: o.Tier, Owners: o.Owners}
	var err error
	if p.Dir, err = p.tree.existing(dir); err != nil {
		return nil, fmt.Errorf("working directory %q: %w", dir, err)
	}
	if err := p.grant(o); err != nil {
		return nil, err
	}
	p.keepBases()
	if err := p.hide(o); err != nil {
		return nil, err
	}
	p.git(o.Inside)
	if o.File != "" && p.Writable(p.tree.realOr(o.File)) {
		p.keepReadOnly(o.File) // for the next run
	}
	if o.Inside { // the outer one's mounts hold
		return p, nil
	}
	p.strict()
	p.rules()
	if p.Profile != verdict.ProfileNone {
		p.startLinks()
	}
	p.PutBack = slices.Clone(p.Protect)
	if p.Profile != verdict.ProfileNone {
		p.startFiles()
	}
	defer func() { p.Protect = slices.DeleteFunc(p.Protect, p.hidden) }()
	for _, path := range o.Protect {
		real, err := p.tree.existing(path)
		if err != nil {
			return nil, fmt.Errorf("--protect %q: %w", path, err)
		}
		p.Modes = append(p.Modes, real)
		if p.Writable(real) {
			p.keepReadOnly(path)
			p.Frozen = append(p.Frozen, real)
		}
	}
	return p, nil
}
