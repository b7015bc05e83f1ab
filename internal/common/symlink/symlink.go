// Package symlink follows the way to a path through symbolic links.
package symlink

import (
	"path/filepath"
	"strings"
)

// most is how many symbolic links the way to a file may have (path_resolution(7)).
const most = 40

// Follow follows rest, a path, from at, an absolute path without symbolic links, through
// all of them. What is on the way need not exist. The function target returns where a
// symbolic link leads to, or "" for anything else. Follow calls turn where the way turns,
// with the folder and the link in it, or "" for a "..": who can write that folder decides
// where the way ends. It returns that end, or "" if turn returns false or there are more
// links than a way may have, as in a circle.
func Follow(at, rest string, target func(path string) string, turn func(in, link string) bool,
) string {
	names, links := strings.Split(rest, "/"), 0
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if !turn(at, "") {
				return ""
			}
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		to := target(next)
		if to == "" {
			at = next
			continue
		}
		if links++; !turn(at, next) || links > most {
			return ""
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		names = append(strings.Split(to, "/"), names...)
	}
	return at
}
