package main

import (
	"cmp"
	"slices"
	"sync"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/syscalls"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
)

// A changed remembers which files of the covered folders the command was about to change.
type changed struct {
	layers []overlay.Open

	mu    sync.Mutex
	files map[try.Place]bool
}

// add notes a file before the command changes it. After changedMax files it notes no
// more, so that it is not known of those that they existed.
func (c *changed) add(cover int, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) >= changedMax {
		return
	}
	if c.files == nil {
		c.files = map[try.Place]bool{}
	}
	c.files[try.Place{Cover: cover, Path: tree.Name(path)}] = true
}

// deleted returns in order the noted files that their folders no longer have. The command
// writes to the upper layers, so somebody else has deleted them.
func (c *changed) deleted() (list []try.Place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.files {
		if !syscalls.HasFile(c.layers[p.Cover].Lower, string(p.Path)) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b try.Place) int {
		return cmp.Or(a.Cover-b.Cover, cmp.Compare(a.Path, b.Path))
	})
	return list
}
