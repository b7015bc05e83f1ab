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

// A changed is which files of the covered folders the command was about to change.
type changed struct {
	layers []overlay.Open

	mu    sync.Mutex
	files map[try.Place]bool
}

// add notes a file before it is changed. Of what comes after changedMax files it is not
// known that they were there.
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

// deleted returns, in order, the files that their folders have no more. Only somebody else
// than the command can have deleted them there.
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
