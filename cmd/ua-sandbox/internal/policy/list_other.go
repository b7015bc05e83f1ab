//go:build !linux

package policy

import "os"

// A lister reads folders one after another.
type lister struct{}

// list calls do for each name in the folder dir, and says whether it is a folder
// itself. A folder that can't be read has no names.
func (*lister) list(dir string, do func(name []byte, folder bool)) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		do([]byte(e.Name()), e.IsDir())
	}
}
