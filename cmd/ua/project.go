package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ua/cmd/ua/internal/limits"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// usualHosts returns what network commands may reach unless the user says otherwise.
func usualHosts() []string { return []string{"packages", "git"} }

// narrow narrows the user's settings by those of the projects that the working folder lies
// in. What the command line says goes before both. after is told of each file that was
// read.
func (o *options) narrow(s *settings, warn func(string), after func(path string)) error {
	for _, path := range config.Projects() {
		if err := o.project(path, s, warn); err != nil {
			return err
		}
		after(path)
	}
	return nil
}

// project narrows the user's settings, and the agent's definition, by a project's file.
func (o *options) project(path string, s *settings, warn func(string)) error {
	var p settings
	if err := config.LoadProject(path, &p, warn); err != nil {
		return err
	}
	if err := p.check(path); err != nil {
		return err
	}
	s.UA.Narrow(&p.UA)
	p.Agents.MaxDepth = p.UA.MaxAgentDepth
	s.projects = append(s.projects, p.Agents)
	s.Sandbox.narrow(&p.Sandbox, len(o.netAllow) > 0, func(key, item string) {
		warn(fmt.Sprintf("%s: sandbox.%s: ignoring %q, which is not in the user's list", path, key,
			item))
	})
	d := &o.def
	d.MaxIterations = atMost(d.MaxIterations, p.UA.MaxTurns)
	d.BudgetTokens = atMost(d.BudgetTokens, p.UA.BudgetTokens)
	d.Timeout = atMost(d.Timeout, time.Duration(p.UA.TimeLimit))
	return nil
}

// check returns the error of the first setting in the file at path that is out of range.
func (s *settings) check(path string) error {
	if err := cmp.Or(s.UA.Check(path), s.Agents.Check(path)); err != nil {
		return err
	}
	if n := s.Sandbox.Pids; n < 0 || n > prog.MaxPids {
		return prog.Errorf(prog.Trouble, "%s: [sandbox] pids: want a whole number from 1 to %d", path,
			prog.MaxPids)
	}
	if p := s.Sandbox.Profile; p != "" && !isWidest(p) {
		return prog.Errorf(prog.Trouble,
			"%s: [sandbox] profile: %q: want read-only, workspace or network", path, p)
	}
	return nil
}

// isWidest reports whether a run's commands may be held to the profile.
func isWidest(profile string) bool {
	p, err := verdict.ParseProfile(profile)
	return err == nil && p != verdict.ProfileNone
}

// ofAgents returns the limits of the agents below a run.
func (s *settings) ofAgents() limits.Limits {
	l := s.Agents.Over(limits.Defaults())
	l.MaxDepth = cmp.Or(s.UA.MaxAgentDepth, l.MaxDepth)
	return l.Narrow(s.projects)
}

// hosts returns what network commands may reach.
func (s *sandboxSettings) hosts() []string {
	if s.NetAllow == nil {
		return usualHosts()
	}
	return s.NetAllow
}

// narrow takes over what a project's settings of the sandbox leave of the user's.
// Hosts of the command line stand in place of the usual ones, so these are not narrowed.
func (s *sandboxSettings) narrow(p *sandboxSettings, hosts bool, foreign func(key, item string)) {
	s.Strict = s.Strict || p.Strict
	widest := cmp.Or(s.Profile, string(verdict.ProfileNetwork))
	if verdict.Profile(p.Profile).Within(verdict.Profile(widest)) {
		s.Profile = p.Profile
	}
	s.Pids = tighter(s.Pids, usualPids, p.Pids)
	s.Mem = tighter(s.Mem, usualSize, p.Mem)
	s.Fsize = tighter(s.Fsize, usualSize, p.Fsize)
	if p.NetAllow != nil && (s.NetAllow != nil || !hosts) {
		s.NetAllow = both("net_allow", s.hosts(), p.NetAllow, foreign)
	}
	for _, l := range []struct {
		key     string
		user    *[]string
		project []string
	}{
		{"write", &s.Write, p.Write}, {"read", &s.Read, p.Read}, {"socket", &s.Socket, p.Socket},
		{"env", &s.Env, p.Env},
	} {
		if l.project != nil {
			*l.user = both(l.key, *l.user, l.project, foreign)
		}
	}
}

// both returns the items of the user's list that a project's has too. A path may be
// written in several ways.
func both(key string, user, project []string, foreign func(key, item string)) []string {
	clean := func(item string) string { return filepath.Clean(config.Expand(item)) }
	kept := []string{}
	for _, item := range project {
		same := func(have string) bool { return clean(have) == clean(item) }
		if i := slices.IndexFunc(user, same); i >= 0 {
			kept = append(kept, user[i])
		} else {
			foreign(key, item)
		}
	}
	return kept
}

// tighter returns a project's limit if it is below the user's, or the usual one where
// that is 0.
func tighter[T ~int | ~uint64](user, usual, project T) T {
	if project > 0 && project < cmp.Or(user, usual) {
		return project
	}
	return user
}

// atMost returns a limit of a definition, of which 0 is none, and at most the project's.
func atMost[T ~int | ~int64](limit, project T) T {
	if project > 0 {
		return min(limit, project)
	}
	return limit
}
