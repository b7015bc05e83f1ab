// Package settings reads the settings of a run from config.toml (ua-config(5)): the
// user's file, and those of projects, which can only narrow it.
package settings

import (
	"cmp"

	"ua/cmd/ua/internal/agentlimits"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// Settings holds the tables of config.toml that ua itself reads (ua-config(5)).
type Settings struct {
	UA      config.Agent       `toml:"ua"`
	Agents  agentlimits.Limits `toml:"agents"`
	Alias   map[string]string  `toml:"alias"`
	Sandbox Sandbox            `toml:"sandbox"`
	MCP     config.Servers     `toml:"mcp"`

	projects []agentlimits.Limits // of the agents, as each project has them
}

// Sandbox holds the settings of the sandbox around a run's commands.
type Sandbox struct {
	// Paths that commands may write, read and connect to, and variables that they get.
	Write    []string `toml:"write"`
	Read     []string `toml:"read"`
	Socket   []string `toml:"socket"`
	Env      []string `toml:"env"`
	NetAllow []string `toml:"net_allow"` // nil: DefaultHosts
	Strict   bool     `toml:"strict"`
	Profile  string   `toml:"profile"`
	Resources
}

// Load reads the user's settings. A value that is out of range is an error.
func Load() (*Settings, error) {
	s, path := &Settings{}, config.Path()
	if err := config.Load(s); err != nil {
		return nil, err
	}
	if err := s.Check(path); err != nil {
		return nil, err
	}
	return s, s.UA.Complete(path)
}

// Check returns an error for the first setting of the file at path that is out of range.
func (s *Settings) Check(path string) error {
	if err := cmp.Or(s.UA.Check(path), s.Agents.Check(path), s.MCP.Check(path)); err != nil {
		return err
	}
	if err := s.Sandbox.Check(); err != nil {
		return prog.Errorf(prog.Trouble, "%s: [sandbox] %v", path, err)
	}
	if p := s.Sandbox.Profile; p != "" && !IsWidest(p) {
		return prog.Errorf(prog.Trouble,
			"%s: [sandbox] profile: %q: want read-only, workspace or network", path, p)
	}
	return nil
}

// Hosts returns the hosts that network commands may reach.
func (s *Sandbox) Hosts() []string {
	if s.NetAllow == nil {
		return DefaultHosts()
	}
	return s.NetAllow
}

// OfAgents returns the limits of the agents below a run, narrowed by the projects.
func (s *Settings) OfAgents() agentlimits.Limits {
	l := s.Agents.Over(agentlimits.Defaults())
	l.MaxDepth = cmp.Or(s.UA.MaxAgentDepth, l.MaxDepth)
	return l.Narrow(s.projects)
}

// Projects returns the limits of agents of each project.
func (s *Settings) Projects() []agentlimits.Limits { return s.projects }

// IsWidest reports whether a profile may be the widest one of a run's commands: any known
// profile except none.
func IsWidest(profile string) bool {
	p, err := verdict.ParseProfile(profile)
	return err == nil && p != verdict.ProfileNone
}

// DefaultHosts returns the names of the hosts that network commands may reach by default.
// The names are groups of hosts that ua-sandbox knows.
func DefaultHosts() []string { return []string{"packages", "git"} }
