package settings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ua/cmd/ua/internal/agents"
	"ua/internal/common/config"
	"ua/internal/common/verdict"
)

// Narrow narrows the user's settings, and the definition of the agent, by the files of
// the projects around the working folder. hosts says that the command line names hosts:
// these stand in place of the user's, which are then not narrowed. after is called with
// each file that was applied.
func (s *Settings) Narrow(d *agents.Definition, hosts bool, warn, after func(string)) error {
	for _, path := range config.Projects() {
		if err := s.narrow(path, d, hosts, warn); err != nil {
			return err
		}
		after(path)
	}
	return nil
}

// narrow applies the file of one project.
func (s *Settings) narrow(path string, d *agents.Definition, hosts bool, warn func(string)) error {
	var p Settings
	if err := config.LoadProject(path, &p, warn); err != nil {
		return err
	}
	if err := p.Check(path); err != nil {
		return err
	}
	for _, name := range p.MCP.Names() {
		warn(fmt.Sprintf("%s: ignoring [mcp.%s]: only the user's settings name servers", path, name))
	}
	s.UA.Narrow(&p.UA)
	p.Agents.MaxDepth = p.UA.MaxAgentDepth
	s.projects = append(s.projects, p.Agents)
	s.Sandbox.narrow(&p.Sandbox, hosts, func(key, item string) {
		warn(fmt.Sprintf("%s: sandbox.%s: ignoring %q, which is not in the user's list", path, key,
			item))
	})
	d.MaxIterations = atMost(d.MaxIterations, p.UA.MaxTurns)
	d.BudgetTokens = atMost(d.BudgetTokens, p.UA.BudgetTokens)
	d.Timeout = atMost(d.Timeout, time.Duration(p.UA.TimeLimit))
	return nil
}

// narrow keeps of the user's sandbox settings what a project's settings leave. foreign is
// called with each item that a project lists and the user does not, which is ignored.
func (s *Sandbox) narrow(p *Sandbox, hosts bool, foreign func(key, item string)) {
	s.Strict = s.Strict || p.Strict
	// A project can ask for a narrower profile, never for a wider one.
	widest := cmp.Or(s.Profile, string(verdict.ProfileNetwork))
	if verdict.Profile(p.Profile).Within(verdict.Profile(widest)) {
		s.Profile = p.Profile
	}
	s.Pids = tighter(s.Pids, DefaultPids, p.Pids)
	s.Mem = tighter(s.Mem, DefaultSize, p.Mem)
	s.Fsize = tighter(s.Fsize, DefaultSize, p.Fsize)
	if p.NetAllow != nil && (s.NetAllow != nil || !hosts) {
		s.NetAllow = both("net_allow", s.Hosts(), p.NetAllow, foreign)
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

// both returns the items of the user's list that the project's list has too. Paths are
// compared after expansion, since one path can be written in several ways.
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

// tighter returns the project's limit if it is lower than the user's, and otherwise the
// user's. A user's limit of 0 stands for the usual one.
func tighter[T ~int | ~uint64](user, usual, project T) T {
	if project > 0 && project < cmp.Or(user, usual) {
		return project
	}
	return user
}

// atMost returns a definition's limit, lowered to the project's. The limit 0 stays 0: the
// settings then decide.
func atMost[T ~int | ~int64](limit, project T) T {
	if project > 0 {
		return min(limit, project)
	}
	return limit
}
