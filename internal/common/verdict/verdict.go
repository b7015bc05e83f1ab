// Package verdict holds the scales by which ua-gate judges and which ua-exec and
// ua-sandbox enforce: risk levels, decisions and sandbox profiles.
package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
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

// A Grant is what a person's yes lets one call do beyond its profile (ua-events(5)).
type Grant struct {
	Write []string `json:"write,omitempty"` // folders and files: absolute, without links
	Host  []string `json:"host,omitempty"`  // HOST or HOST:PORT
}

// maxGrants bounds what one call is granted of a kind.
const maxGrants = 16

// Empty reports whether nothing is granted.
func (g Grant) Empty() bool { return len(g.Write)+len(g.Host) == 0 }

// JSON returns the grant as the member of a verdict or question.
func (g Grant) JSON() []byte {
	text, _ := json.Marshal(g) // strings always can be
	return text
}

// ParseGrant reads that member. One that says anything that is not understood grants nothing,
// and is an error.
func ParseGrant(text []byte) (g Grant, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		return Grant{}, errors.New("the grant can't be read")
	}
	for _, path := range g.Write {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || path == "/" {
			return Grant{}, fmt.Errorf("the grant names no folder: %q", path)
		}
	}
	for _, host := range g.Host {
		if host == "" || strings.HasPrefix(host, "-") || strings.ContainsAny(host, "*, /\\@") {
			return Grant{}, fmt.Errorf("the grant names no host: %q", host)
		}
	}
	if max(len(g.Write), len(g.Host)) > maxGrants {
		return Grant{}, errors.New("the grant is too long")
	}
	return g, nil
}
