package table

import (
	"path"
	"strings"

	"ua/cmd/ua-gate/internal/match"
)

// A Place is where a path leads, as far as it is known, and what is there.
type Place struct {
	Abs    string   // clean: absolute, or from ~ for a home, or from an unknown folder
	Names  []string // its names
	up     int      // how many of them are ..
	rooted bool     // it is absolute, or may be since it goes up
	Kind   PathKind // by the table, of the place and of what links lead to
	Real   string   // abs with links followed
}

// PlaceOf returns the place of a path that is absolute, or seen from nowhere known.
func PlaceOf(text, home string) Place {
	clean := path.Clean(text)
	if strings.HasPrefix(clean, "/proc/") {
		clean = ThroughProc(clean)
	}
	if strings.HasPrefix(clean, "/private/etc") {
		clean = clean[len("/private"):]
	}
	if in, rest := splitHome(clean, home); in {
		clean = "~" + rest
	}
	p := Place{Abs: clean, Names: strings.Split(strings.TrimPrefix(clean, "/"), "/")}
	for p.up < len(p.Names) && p.Names[p.up] == ".." {
		p.up++
	}
	p.rooted = p.up > 0 || strings.HasPrefix(clean, "/")
	return p
}

// Whole returns the folder of which a pattern names all, or the place itself.
func (p Place) Whole() Place {
	for len(p.Names) > 0 && match.EveryName(p.Names[len(p.Names)-1]) {
		p.Names = p.Names[:len(p.Names)-1]
		p.Abs = path.Dir(p.Abs)
	}
	if len(p.Names) == 0 {
		p.Names = []string{""}
	}
	return p
}

// Holds reports whether the folder is the place or below it.
func (p Place) Holds(dir string) bool {
	return dir == p.Abs || strings.HasPrefix(dir, strings.TrimSuffix(p.Abs, "/")+"/")
}

// Within reports whether the place is the folder or inside it.
func (p Place) Within(dir string) bool { return Place{Abs: dir}.Holds(p.Abs) }

// ThroughProc follows /proc/PID/root and /proc/PID/cwd.
func ThroughProc(clean string) string {
	names := strings.SplitN(clean, "/", 5)
	if len(names) == 4 && names[3] == "cwd" {
		return "."
	}
	if len(names) == 5 && names[3] == "root" {
		return "/" + names[4]
	}
	if len(names) == 5 && names[3] == "cwd" {
		return names[4]
	}
	return clean
}

// splitHome reports whether the path is in somebody's home, and what follows it.
func splitHome(clean, home string) (bool, string) {
	if home != "" && home != "/" && (clean == home || strings.HasPrefix(clean, home+"/")) {
		return true, clean[len(home):]
	}
	if strings.HasPrefix(clean, "~") {
		i := strings.IndexByte(clean, '/')
		if i < 0 {
			return true, ""
		}
		return true, clean[i:]
	}
	for _, root := range []string{"/home/", "/Users/", "/root/", "/var/root/"} {
		if !strings.HasPrefix(clean+"/", root) {
			continue
		}
		if strings.HasSuffix(root, "root/") {
			return true, strings.TrimSuffix((clean + "/")[len(root)-1:], "/")
		}
		if len(clean) < len(root) {
			return false, ""
		}
		rest := clean[len(root):]
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return true, rest[i:]
		}
		return rest != "", ""
	}
	return false, ""
}

// A PathKind is what a place is, as a set of bits.
type PathKind uint32

// Those of the table come first, in the order of their names.
const (
	PathSecret     PathKind = 1 << iota // neither read nor written
	PathPrivate                         // not read
	PathGuarded                         // not written: it runs by itself, or says what may run
	PathSystem                          // not written: it is the machine's
	PathDisk                            // never written
	PathPublic                          // not secret or private after all
	PathOpen                            // not guarded or system after all
	PathScratch                         // the same, but where the user works it stays guarded
	PathNever                           // never written: who may log in
	PathRecord                          // not lost: what was typed, is scheduled, or is a history
	PathSettings                        // those of a home
	PathWhole                           // all of a system or a home
	PathMixed                           // secrets are among what is below it
	PathStream                          // what is written there changes no file
	PathPassing                         // what is put there goes with the run
	PathInstalled                       // where the programs of the machine are
	PathTold                            // its name says that it holds a secret
	PathSource                          // no secret, whatever its name says
	PathPrograms                        // a folder of the system's programs
	PathTools                           // a folder that a project's package manager fills
	PathSocket                          // a connection of the shell's own
	PathDescriptor                      // a device, or what the program that opens it has open
	PathInput                           // the standard input of the program that opens it

	PathHere   // in the workspace
	PathAway   // known, and neither in the workspace nor where everybody puts what may be lost
	PathAll    // all of the workspace
	PathHidden // nobody is to see what is in it
)

var pathKinds = strings.Fields("secret private guarded system disk public open scratch never " +
	"record settings whole mixed stream passing installed told source programs tools socket " +
	"descriptor input")

// What frees a place frees it only where it is known to be the one.
const pathFreeing = PathPublic | PathOpen | PathScratch | PathStream | PathSource |
	PathPrograms | PathTools
