package access

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// A file is a profile file: a built-in profile, and what the file adds to it.
type file struct {
	Base       string   `toml:"base"`
	Write      []string `toml:"write"`
	Read       []string `toml:"read"`
	Deny       []string `toml:"deny"`
	Sockets    []string `toml:"sockets"`
	Env        []string `toml:"env"`
	NetAllow   []string `toml:"net_allow"`
	NetCapture bool     `toml:"net_capture"`
	Inject     []string `toml:"inject"`
	Strict     bool     `toml:"strict"`
	Tmp        string   `toml:"tmp"` // "memory", or a folder
	Limits     Limits   `toml:"limits"`
}

// Expand merges the profile file that the options name into the options. Paths in the
// file that do not exist here are skipped, so that one file serves many machines; paths
// of the command line must exist. An unknown key is an error.
func Expand(o Options) (Options, error) {
	if o.Profile == "" {
		o.Profile = string(verdict.ProfileWorkspace)
	}
	if _, err := verdict.ParseProfile(o.Profile); err == nil {
		return o.withAgent(), nil
	}
	path, err := profilePath(o.Profile)
	if err != nil {
		return o, err
	}
	f, err := readFile(path)
	if err != nil {
		return o, err
	}
	// Lists are added up; what the command line says comes last.
	o.Profile, o.File = f.Base, path
	o.Write = slices.Concat(present(f.Write), o.Write)
	o.Read = slices.Concat(present(f.Read), o.Read)
	o.Sockets = slices.Concat(present(f.Sockets), o.Sockets)
	o.Deny = slices.Concat(f.Deny, o.Deny)
	o.Env = slices.Concat(f.Env, o.Env)
	o.NetAllow = slices.Concat(f.NetAllow, o.NetAllow)
	o.Inject = slices.Concat(f.Inject, o.Inject)
	o.NetCapture = o.NetCapture || f.NetCapture
	o.Strict = o.Strict || f.Strict
	o.Limits = o.Limits.tighter(f.Limits)
	if o.Tmp == (Tmp{}) && f.Tmp != "" {
		o.Tmp = ParseTmp(f.Tmp)
	}
	return o.withAgent(), nil
}

// withAgent passes the variable for the ssh agent if its socket may be connected to.
func (o Options) withAgent() Options {
	agent := os.Getenv("SSH_AUTH_SOCK")
	if agent != "" && slices.ContainsFunc(o.Sockets,
		func(s string) bool { return Absolute(s) == agent }) {
		o.Env = append(slices.Clip(o.Env), "SSH_AUTH_SOCK")
	}
	return o
}

// TmpMemory is the value of --tmp, and what it means without one, for a TMPDIR in memory.
const TmpMemory = "memory"

// ParseTmp parses the value of --tmp: TmpMemory, or a folder.
func ParseTmp(word string) Tmp {
	if word == TmpMemory {
		return Tmp{Memory: true}
	}
	return Tmp{Dir: Absolute(word)}
}

// profilePath returns the file for a name: a path if the name has a slash or ends in
// ".toml", and otherwise NAME.toml among the user's profiles.
func profilePath(name string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".toml") {
		return Absolute(name), nil
	}
	path := filepath.Join(xdg.Config(), "profiles", name+".toml")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("unknown profile %q (%s, or a file)", name,
			strings.Join(verdict.Profiles(), ", "))
	}
	return path, nil
}

// readFile reads and parses a profile file.
func readFile(path string) (f file, err error) {
	text, err := readText(path)
	if err != nil {
		return f, err
	}
	f, err = parse(text)
	if err != nil {
		return f, config.Bad(path, err)
	}
	return f, nil
}

// parse parses the text of a profile file.
func parse(text string) (f file, err error) {
	f.Base = string(verdict.ProfileWorkspace)
	md, err := config.Decode(text, &f)
	if err != nil {
		return f, err
	}
	if keys := md.Undecoded(); len(keys) > 0 {
		return f, fmt.Errorf("unknown key %q", keys[0].String())
	}
	_, err = verdict.ParseProfile(f.Base)
	return f, err
}

// present returns the paths that exist.
func present(list []string) (found []string) {
	var t tree
	for _, path := range list {
		if _, err := t.existing(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}
