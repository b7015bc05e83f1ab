//go:build linux

package landing

import (
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// A lander applies one try and takes it back.
type lander struct {
	t      *try.Try
	list   []manifest.Entry
	covers []*root
	areas  []*root                    // where slots lie, for each cover
	swaps  []*tree.File               // what a cut exchange has left in each area
	cut    map[string]map[uint64]bool // of a plan, the inodes of what was at each path before it
	say    func(format string, a ...any)
}
