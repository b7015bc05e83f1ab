// Package verdict holds the scales by which ua-gate judges and which ua-exec and
// ua-sandbox enforce: risk levels, decisions and sandbox profiles.
package verdict

import (
	"fmt"
	"slices"
	"strings"
)

// A Level is a command's risk. A higher one includes all that a lower one may do.
type Level int8

// The levels, from low to high.
const (
	ReadOnly    Level = iota // changes nothing
	BuildTest                // builds and tests: writes in the workspace by known tools
	Write                    // writes in the workspace
	Destructive              // may lose what can't be made again, or can't be told
	Network                  // talks to other machines
	Privileged               // needs or changes rights
	Denied                   // never runs
)

// levels are the names of the levels.
var levels = []string{"read_only", "build_test", "write", "destructive", "network", "privileged",
	"denied"}

// String returns the level's name.
func (l Level) String() string {
	if l < 0 || int(l) >= len(levels) {
		return fmt.Sprintf("level(%d)", int(l))
	}
	return levels[l]
}

// Levels returns the names of all levels, from low to high.
func Levels() []string { return slices.Clone(levels) }

// ParseLevel returns the level of that name. For another name it is Denied and an error.
func ParseLevel(name string) (Level, error) {
	if i := slices.Index(levels, name); i >= 0 {
		return Level(i), nil
	}
	return Denied, fmt.Errorf("unknown level %q", name)
}

// UnmarshalText reads a level by its name.
func (l *Level) UnmarshalText(text []byte) (err error) {
	*l, err = ParseLevel(string(text))
	return err
}

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Decision says what happens to a call.
type Decision string

// The decisions. Ask is a question that is still open: nothing runs on it.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// A Profile says what a sandbox allows (ua-sandbox(1)).
type Profile string

// The profiles, from narrow to wide.
const (
	ProfileReadOnly  Profile = "read-only" // nothing but a private tmp can be written
	ProfileWorkspace Profile = "workspace" // the working directory and tmp can
	ProfileNetwork   Profile = "network"   // workspace, and the allowlist proxy
	ProfileNone      Profile = "none"      // no confinement but the secrets
)

// profiles are all profiles, from narrow to wide.
var profiles = []Profile{ProfileReadOnly, ProfileWorkspace, ProfileNetwork, ProfileNone}

// ParseProfile returns the profile of that name, or an error that lists the names.
func ParseProfile(name string) (Profile, error) {
	if slices.Contains(profiles, Profile(name)) {
		return Profile(name), nil
	}
	return "", fmt.Errorf("unknown profile %q (%s)", name, strings.Join(Profiles(), ", "))
}

// Profiles returns the names of all profiles, from narrow to wide.
func Profiles() (names []string) {
	for _, p := range profiles {
		names = append(names, string(p))
	}
	return names
}

// Within reports whether p allows nothing that outer does not.
func (p Profile) Within(outer Profile) bool {
	i, o := slices.Index(profiles, p), slices.Index(profiles, outer)
	return i >= 0 && o >= 0 && i <= o
}

// ProfileFor returns the profile in which the kernel keeps a command to its level.
func ProfileFor(l Level) Profile {
	switch l {
	case ReadOnly:
		return ProfileReadOnly
	case BuildTest, Write, Destructive:
		return ProfileWorkspace
	case Network:
		return ProfileNetwork
	}
	return ProfileNone
}
