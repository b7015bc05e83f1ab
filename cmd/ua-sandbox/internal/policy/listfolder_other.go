//go:build !linux

package policy

import "os"

// A lister reads folders one after another.
type lister struct{}

// childless reports whether the folder dir is known to hold no folder.
func (*lister) childless(string) bool { return false }

// list calls do for each name in the folder dir, and says whether the name is a folder
// itself. A folder that cannot be read has no names.
func (*lister) list(dir string, do func(name []byte, folder bool)) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		do([]byte(e.Name()), e.IsDir())
	}
}
