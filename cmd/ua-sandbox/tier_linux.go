package main

import (
	"errors"
	"fmt"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// A tier says which layers are left when a system refuses one: 4 has all, 3 no PID
// namespace, 2 no namespaces, and 1 only the system call filter.

// top returns the tier with which to begin.
func top(o *options) int {
	switch {
	case o.Tier != policy.Auto:
		return o.Tier
	case o.Profile == string(verdict.ProfileNone):
		return 3
	}
	return 4
}

// below returns the next tier to try after one was refused, or 0. A layer that failed
// because a file was replaced, or something was used up, leads to no lower tier.
func below(tier int, r *refused, strict bool) int {
	switch {
	case r.Step == "exec" || r.Step == "locks" || usedUp(r):
		return 0
	case tier == 4 && (r.Step == "proc" || r.Step == "namespaces"):
		return 3
	case tier >= 3 && !strict && !replaced(r):
		return 2
	}
	return 0
}

// descend makes the sandbox at the highest tier that works here and that the policy
// accepts.
func (s *parent) descend(p *policy.Policy, tmp string, started <-chan initProcess) error {
	var first error
	for {
		s.init = <-started
		s.initPID.Store(int32(s.init.pid))
		if s.ended.Load() != 0 {
			s.init.drop()
			return errors.New("a signal")
		}
		tier := s.init.tier
		s.git.drop()
		if s.git = nil; tier >= 3 && !s.plain {
			s.git = newRepositories(p)
		}
		s.look = newLook(p.Covered(s.git.covers()), s.git.covers(), s.log)
		if tier < 3 {
			s.look.keep(p)
		}
		pl := newPlan(p.Covered(s.git.covers()), tier, s.path, tmp, s.environ)
		pl.View.Mounts, pl.View.Renews = s.git.mounts(pl.View.Mounts), s.o.land
		pl.Fds, pl.Terminal = s.o.fds, s.stdio.handed
		if pl.Terminal {
			pl.View.Terminal = confine.Terminal()
		} else if pl.View.Open {
			pl.View.Terminals = userTerminals()
		}
		if s.server != nil {
			pl.Secret = s.server.Secret
		}
		if tier < 3 {
			s.dropTops()
		} else if len(p.Tops) > 0 {
			if s.tops == nil {
				s.tops = newHomeTops(p)
			}
			pl.View.Mounts = over(s.tops, p, pl.View.Mounts)
		}
		if s.left.drop(); p.Profile != verdict.ProfileNone && len(p.Write) > 0 {
			s.left = newNote(s.look)
		}
		err := s.launch(pl)
		if err == nil {
			close(s.stands)
			s.log.stands(tier)
			s.stdio.started()
			if tier == 2 && first != nil && !s.o.Quiet {
				s.env.Warnf("tier 2: this system refuses namespaces (%v): the command has no network, "+
					"can write settings and hooks of repositories until they are put back at its end, can "+
					"list names in secret folders and change modes and times of your files (ua-sandbox --probe "+
					"says what helps)", first)
			}
			return nil
		}
		var r *refused
		if !errors.As(err, &r) || s.o.Tier != policy.Auto && r.Step != "overlay" {
			return err
		}
		if first == nil {
			first = err
		}
		// Only a layer that the system refuses leads downwards.
		next := below(tier, r, p.Strict)
		if r.Step == "overlay" && !s.plain {
			s.plain, next = true, tier
		}
		if next == 0 && tier < 3 {
			return fmt.Errorf("%v; tier %d: %w", first, tier, err)
		} else if next == 0 {
			return first
		}
		tier = next
		started = startInit(s.o, s.stdio.files, tier, s.command)
	}
}
