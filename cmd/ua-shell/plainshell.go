package main

import (
	"os"

	"ua/cmd/ua-shell/internal/shell"
	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/run"
)

// unwrapped reports whether a plain shell was already started in our place on this
// terminal. The start-up file of such a shell starts ua-shell, and would do so without
// end.
func unwrapped(tty *terminal.Terminal) (again bool) {
	if tty == nil {
		return false
	}
	name := terminal.Name(tty.In())
	again = os.Getenv(shell.EnvPlain) == name
	os.Setenv(shell.EnvPlain, name)
	return again
}

// unfit says why a shell cannot be wrapped here, "" if it can.
func unfit(tty *terminal.Terminal) string {
	switch {
	case tty == nil:
		return "not on a terminal"
	case os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "":
		return "the terminal is dumb"
	case os.Getenv(run.EnvShellTTY) == terminal.Name(tty.In()):
		return "this is a ua-shell already"
	}
	return ""
}
