package command

import (
	"context"
	"sync"
	"testing"
)

// TestBackground has commands begin and end while others wait for the last one: nobody waits
// for ever, and all are counted.
func TestBackground(t *testing.T) {
	var b Background
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				b.Add()
				b.Done(nil)
			}
		})
		all.Go(func() {
			for range 2000 {
				if !b.Wait(context.Background()) {
					t.Error("gave up")
				}
			}
		})
	}
	all.Wait()
	b.Add()
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if b.Wait(gone) {
		t.Error("one that runs is not waited for")
	}
	b.Done(nil)
	if !b.Wait(context.Background()) {
		t.Error("one that has ended is waited for")
	}
}
