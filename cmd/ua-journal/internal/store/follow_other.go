//go:build !linux

package store

import (
	"os"
	"time"
)

// A Watcher waits for a change of a file, by looking.
type Watcher struct{}

// NewWatcher returns a Watcher that only looks from time to time.
func NewWatcher(string) (*Watcher, error) { return &Watcher{}, nil }

// Wait returns when something may have changed.
func (*Watcher) Wait(*os.File) (gone bool, err error) {
	time.Sleep(100 * time.Millisecond)
	return false, nil
}
