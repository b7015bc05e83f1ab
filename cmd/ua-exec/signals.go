package main

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName returns the signal's name, as "SIGTERM".
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return s.String()
}
