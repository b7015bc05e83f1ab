//go:build !linux

package relay

import "golang.org/x/sys/unix"

// read reads from a descriptor that never waits.
func read(fd int, p []byte) (int, error) { return unix.Read(fd, p) }

// writeNow writes to a descriptor that never waits.
func writeNow(fd int, p []byte) (int, error) { return unix.Write(fd, p) }

// again returns -1: there is no way to open the file of a descriptor anew.
func again(int, int) int { return -1 }

// threadID returns 0: no thread is interrupted here.
func threadID() int { return 0 }

// interrupt does nothing.
func interrupt(int) {}
