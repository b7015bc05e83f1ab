//go:build !linux

package relay

import "golang.org/x/sys/unix"

// read reads from a descriptor that never waits.
func read(fd int, p []byte) (int, error) { return unix.Read(fd, p) }

// writeNow writes to a descriptor that never waits.
func writeNow(fd int, p []byte) (int, error) { return unix.Write(fd, p) }

// again would open the file behind a descriptor anew; there is no way to.
func again(int, int) int { return -1 }

func threadID() int { return 0 }

func interrupt(int) {}
