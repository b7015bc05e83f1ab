// Package secret says what is secret on a user's machine: places in the file system,
// names of files, and environment variables.
package secret

import (
	_ "embed"
	"slices"
	"strings"
)

// The places and names are in parts, which package secret's functions know by name.
//
//go:embed paths.txt
var paths string

// part returns the words of a part of paths.txt.
func part(name string) []string {
	_, rest, _ := strings.Cut(paths, "\n"+name+"\n")
	end := 0
	for strings.HasPrefix(rest[end:], "\t") {
		end += strings.IndexByte(rest[end:], '\n') + 1
	}
	return Fields(rest[:end])
}

// A Path is a place that holds keys, tokens, sessions, or what a person has typed.
type Path struct {
	Name     string // parted by slashes; "*" stands for any bytes of one name
	Absolute bool   // Name begins at the root; otherwise it is below a home
	Folder   bool   // the folder and all in it; otherwise a file
	Anywhere bool   // the name tells it in any folder, not in a home alone
	Mixed    bool   // settings that programs need; a secret stands in them on some machines only
	Kernel   bool   // shows root what the kernel does; nobody else can read it
}

// Paths returns all places, in a new slice for each caller. ua's own settings and state
// are not among them: package config knows those.
func Paths() (list []Path) {
	mixed := part("mixed")
	for _, rows := range []struct {
		name string
		row  Path
	}{{"anywhere", Path{Anywhere: true}}, {"home", Path{}}, {"system", Path{Absolute: true}},
		{"kernel", Path{Absolute: true, Kernel: true}}} {
		for _, word := range part(rows.name) {
			p := rows.row
			p.Name, p.Folder = strings.CutSuffix(word, "/")
			p.Mixed = slices.Contains(mixed, p.Name)
			list = append(list, p)
		}
	}
	return list
}

// Names returns the names of files that hold a secret wherever they are. "*" stands for
// any bytes.
func Names() []string { return part("names") }

// PublicNames returns names that match a pattern of Names but hold no secret.
func PublicNames() []string { return part("public") }

// Pointers returns the environment variables that hold the path of a secret, or several
// paths separated as in PATH.
func Pointers() []string { return part("pointers") }

// Fields splits s at white space. "\ " stands for a space in a name.
func Fields(s string) []string {
	list := strings.Fields(strings.ReplaceAll(s, `\ `, "\x00"))
	for i, f := range list {
		list[i] = strings.ReplaceAll(f, "\x00", " ")
	}
	return list
}
