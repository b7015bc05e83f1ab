package main

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// newPrelude makes a sealed file in memory with the prelude, so that no command
// can change what the next one reads. It is nil where there is no such file.
func newPrelude() *os.File {
	fd, err := unix.MemfdCreate("ua-exec", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "prelude")
	const seals = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	if _, err := f.WriteString(prelude); err != nil {
		return nil
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil
	}
	return f
}

// newReport is a report for the command, nil when it holds no pipeline.
func newReport(prelude *os.File, command string) *report {
	if prelude == nil || !strings.ContainsRune(command, '|') {
		return nil
	}
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil
	}
	return &report{prelude, p[0], p[1]}
}
