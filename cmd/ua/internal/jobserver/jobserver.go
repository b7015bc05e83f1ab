// Package jobserver lets runs take part in the jobserver of GNU make.
package jobserver

import (
	"os"
	"slices"
	"strings"
)

// A Slot is one of the job slots by which make(1) bounds how many jobs run at once (GNU
// make, "Sharing Job Slots with GNU make"). Every recipe already has one slot. Its first
// run uses that one. Each further run beside it waits until the first ends or make has
// another to give.
type Slot struct {
	own    *os.File // stands for the recipe's own slot while it is open
	keeper int      // the process that gives one of make's back; 0 for none
	leash  *os.File // closed, or gone with us: it does so now
}

// Release gives the slot back to make. It does nothing for a nil Slot.
func (s *Slot) Release() {
	if s == nil {
		return
	}
	if s.own != nil {
		s.own.Close()
	}
	if s.leash != nil {
		s.leash.Close()
		s.awaitKeeper()
	}
}

// Keeper returns the process that gives the slot back, which outlives the run; 0 for
// none.
func (s *Slot) Keeper() int {
	if s == nil {
		return 0
	}
	return s.keeper
}

// authOf returns how MAKEFLAGS names the jobserver, "" for none. It is fifo:PATH or the
// numbers of two descriptors, R,W.
func authOf(makeflags string) (auth string) {
	for word := range strings.FieldsSeq(makeflags) {
		for _, name := range []string{"--jobserver-auth=", "--jobserver-fds="} {
			if value, ok := strings.CutPrefix(word, name); ok {
				auth = value // the last one counts
			}
		}
	}
	return auth
}

// Without returns env without the jobserver. Commands do not get it.
func Without(env []string) []string {
	for i, v := range env {
		flags, ok := strings.CutPrefix(v, "MAKEFLAGS=")
		if !ok || authOf(flags) == "" {
			continue
		}
		words := slices.DeleteFunc(strings.Fields(flags), func(w string) bool {
			return strings.HasPrefix(w, "--jobserver-") || strings.HasPrefix(w, "-j")
		})
		env = slices.Clone(env)
		env[i] = "MAKEFLAGS=" + strings.Join(words, " ")
	}
	return env
}
