package main

import (
	"encoding/json"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// A refusalLine is what --status-fd gets when the command was not run. A text on standard
// error could come from the command itself, which never has this descriptor.
type refusalLine struct {
	Type    string `json:"type"`    // refused
	Status  int    `json:"status"`  // 125, 126 or 127
	Message string `json:"message"` // the error, and the hint behind it
}

// closeAtExec closes the descriptor of an option when the command is executed.
func closeAtExec(option string, fd int) error {
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return usage("--%s-fd %d: %w", option, fd, err)
	}
	return nil
}

// tellRefused writes to the descriptor that err has kept the command from running. It
// returns err with one of a chain loader's statuses. A status of the command itself is a
// prog.Exit and passes unchanged.
func tellRefused(fd int, err error) error {
	var status prog.Exit
	if err == nil || errors.As(err, &status) {
		return err
	}
	var e *prog.Error
	if !errors.As(err, &e) {
		e = prog.Errorf(prog.NotConfined, "%w", err)
	}
	if fd < 0 {
		return e
	}
	line := refusalLine{"refused", e.Status, e.Error()}
	if e.Hint != "" {
		line.Message += "; " + e.Hint
	}
	if text, err := json.Marshal(line); err == nil {
		f := os.NewFile(uintptr(fd), "status")
		_, _ = f.Write(append(text, '\n')) // nobody may listen any more
	}
	return e
}
