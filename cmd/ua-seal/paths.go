package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A seal is a folder that keeps what paths of another folder, the working one, were.
type seal struct {
	Dir     string            `json:"dir"`     // absolute, without links
	Globs   []string          `json:"globs"`   // relative to it
	Paths   map[string]string `json:"paths"`   // what look found, and the folders above
	Protect []string          `json:"protect"` // those that match and are in none that does
	Path    string            `json:"path"`    // PATH without new programs of Dir

	at string
}

// in returns the path of a file in the seal, or of what has a number in a folder there.
func (s *seal) in(name string, number ...int) string {
	for _, n := range number {
		name = filepath.Join(name, strconv.Itoa(n))
	}
	return filepath.Join(s.at, name)
}

// there reports whether something is at a path.
func there(p string) bool { _, err := os.Lstat(p); return err == nil }

// matches reports whether a path is sealed by its name, and whether one below it may be.
func (s *seal) matches(p string) (is, below bool) {
	for _, g := range s.Globs {
		i, b := match(strings.Split(g, "/"), strings.Split(p, "/"))
		is, below = is || i, below || b
	}
	return is, below
}

// plain reports whether a glob is a name.
func plain(glob string) bool { return !strings.ContainsAny(glob, `*?[\`) }

// match reports whether the words of a glob match those of a path, or of a folder that it is
// in, and whether they may match a path below.
func match(glob, name []string) (is, below bool) {
	switch {
	case len(name) == 0:
		return !slices.ContainsFunc(glob, func(w string) bool { return w != "**" }), true
	case len(glob) == 0:
		return true, true
	case glob[0] == "**":
		rest, _ := match(glob[1:], name)
		deeper, _ := match(glob, name[1:])
		return rest || deeper, true
	}
	if ok, _ := filepath.Match(glob[0], name[0]); !ok {
		return false, false
	}
	return match(glob[1:], name[1:])
}

// text returns v, in which all is text, as JSON.
func text(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}
