package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// Servers are the MCP servers of the user's settings, [mcp.NAME], by name (ua-mcp(1)).
type Servers map[string]Server

// A Server is one of them: a command, or a URL where one answers.
type Server struct {
	Command []string          `toml:"command"`
	URL     string            `toml:"url"`
	Env     map[string]string `toml:"env"`
	// KeyCmd prints its key. It gets the key as the variable KeyEnv, a URL as a bearer token.
	KeyCmd string `toml:"api_key_cmd"`
	KeyEnv string `toml:"api_key_env"`
	// What its sandbox lets it do: the profile read-only (the usual one) or workspace, the
	// hosts that it may reach, and paths besides.
	Profile string   `toml:"profile"`
	Hosts   []string `toml:"hosts"`
	Read    []string `toml:"read"`
	Write   []string `toml:"write"`
	Allow   []string `toml:"allow"` // tools that run unasked, with * for any text
}

// What may be in the name of a server, which is that of a command in a run, and in a pattern
// of tools.
const (
	serverLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-"
	toolLetters   = serverLetters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ./*"
)

// isServer reports whether a server may have the name.
func isServer(name string) bool {
	return name != "" && len(name) <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
		strings.Trim(name, serverLetters) == ""
}

// Names returns the names of the servers, sorted.
func (s Servers) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Check returns an error for the first setting of the file at path that can't be.
func (s Servers) Check(path string) error {
	for _, name := range s.Names() {
		if err := s[name].check(name); err != nil {
			return prog.Errorf(prog.Trouble, "%s: [mcp.%s]: %v", path, name, err)
		}
	}
	return nil
}

// check returns what is wrong with one server.
func (s Server) check(name string) error {
	if !isServer(name) {
		return fmt.Errorf("the name: want lower-case letters, digits, - and _, at most 32")
	}
	if (len(s.Command) == 0) == (s.URL == "") {
		return fmt.Errorf("want either command, a list of words, or url")
	}
	if u, err := url.Parse(s.URL); s.URL != "" && (err != nil || u.Host == "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !local(u.Hostname()))) {
		return fmt.Errorf("url: want https://HOST/PATH, or http on this machine")
	}
	if s.URL != "" && (s.Profile != "" || len(s.Env)+len(s.Hosts)+len(s.Read)+len(s.Write) > 0 ||
		s.KeyEnv != "") {
		return fmt.Errorf("a url takes api_key_cmd and allow, and no setting of a command")
	}
	if s.Profile != "" && s.Profile != string(verdict.ProfileReadOnly) &&
		s.Profile != string(verdict.ProfileWorkspace) {
		return fmt.Errorf("profile %q: want read-only or workspace", s.Profile)
	}
	if s.URL == "" && (s.KeyCmd == "") != (s.KeyEnv == "") {
		return fmt.Errorf("api_key_cmd and api_key_env need each other")
	}
	for _, p := range s.Allow {
		if p == "" || strings.Trim(p, toolLetters) != "" {
			return fmt.Errorf("allow %q: want the name of a tool, perhaps with *", p)
		}
	}
	return nil
}

// local reports whether a host is this machine.
func local(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// Level returns the level of the server's calls: what its own sandbox lets it do. No
// annotation of a tool lowers it.
func (s Server) Level() verdict.Level {
	switch {
	case s.URL != "" || len(s.Hosts) > 0:
		return verdict.Network
	case s.Profile == string(verdict.ProfileWorkspace) || len(s.Write) > 0:
		return verdict.Destructive
	}
	return verdict.ReadOnly
}
