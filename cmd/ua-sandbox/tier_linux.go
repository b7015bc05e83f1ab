package main

import (
	"errors"
	"fmt"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/guard"
	"ua/cmd/ua-sandbox/internal/hometop"
	"ua/cmd/ua-sandbox/internal/initprocess"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/cmd/ua-sandbox/internal/repositories"
	"ua/cmd/ua-sandbox/internal/terminal"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// A tier says which layers are left when a system refuses one: 4 has all, 3 no PID
// namespace, 2 no namespaces, and 1 only the system call filter.

// firstTier returns the tier with which to begin.
func firstTier(o *options) int {
	switch {
	case o.Tier != access.Auto:
		return o.Tier
	case o.Profile == string(verdict.ProfileNone):
		return 3
	}
	return 4
}

// below returns the next tier to try after one was refused, or 0. A layer that failed
// because a file was replaced, or something was used up, leads to no lower tier.
func below(tier int, r *initprocess.Refused, strict bool) int {
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

// plan plans the sandbox at the tier of init, and prepares the folders for what changes in it.
func (s *parent) plan(p *access.Policy, tmp string) *plan.Plan {
	tier := s.init.Tier
	s.git.Drop()
	if s.git = new(repositories.Set); tier >= 3 && !s.plain {
		s.git = repositories.New(p)
	}
	covers := s.git.Covers()
	s.look = guard.NewLook(p.Covered(covers), covers, s.log)
	s.git.Account, s.git.Ask = s.look.Account, s.init.Ask
	if tier < 3 {
		s.look.Keep(p)
	}
	pl := plan.New(p.Covered(covers), tier, s.path, tmp, s.environ)
	pl.View.Mounts, pl.View.Renews = s.git.Mounts(pl.View.Mounts), s.o.land
	pl.Fds, pl.Terminal, pl.Ulimits = s.o.fds, s.stdio.Handed, s.ulimits
	if pl.Terminal {
		pl.View.Terminal = confine.Terminal()
	} else if pl.View.Open {
		pl.View.Terminals = terminal.OfUser()
	}
	if s.server != nil {
		pl.Secret = s.server.Secret
	}
	if tier < 3 {
		s.dropTops()
	} else if len(p.Tops) > 0 {
		if s.tops == nil {
			s.tops = hometop.New(p)
		}
		pl.View.Mounts = hometop.Over(s.tops, p, pl.View.Mounts)
	}
	if s.left.Drop(); p.Profile != verdict.ProfileNone && len(p.Write) > 0 {
		s.left = guard.NewNote(s.look)
	}
	return pl
}

// dropTops removes the folders that were to stand for homes.
func (s *parent) dropTops() {
	for _, t := range s.tops {
		t.Drop()
	}
	s.tops = nil
}

// descend makes the sandbox at the highest tier that works here and that the policy
// accepts. Init has been started at the first.
func (s *parent) descend(p *access.Policy, tmp string) error {
	var first error
	for {
		if s.ended.Load() != 0 {
			s.init.Drop()
			return errors.New("a signal")
		}
		tier := s.init.Tier
		err := s.init.Launch(s.plan(p, tmp), s.serve)
		if err == nil {
			close(s.stands)
			s.stdio.Started()
			if tier == 2 && first != nil && !s.o.Quiet {
				s.env.Warnf("tier 2: this system refuses namespaces (%v): the command has no network, "+
					"can write settings and hooks of repositories until they are put back at its end, can "+
					"list names in secret folders and change modes and times of your files (ua-sandbox --probe "+
					"says what helps)", first)
			}
			return nil
		}
		var r *initprocess.Refused
		if !errors.As(err, &r) || s.o.Tier != access.Auto && r.Step != "overlay" {
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
		s.start(next)
	}
}
