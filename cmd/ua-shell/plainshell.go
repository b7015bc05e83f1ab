package main

import (
	"os"
	"time"

	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/shell"
	"ua/cmd/ua-shell/internal/terminal"
	"ua/cmd/ua-shell/internal/tracker"
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

// silence is how long a shell may take to print a mark before it counts as one that
// prints none. If one comes later, it still counts.
const silence = 2 * time.Second

// awaitMark tells the user if the shell prints no mark: it may never have read the script.
func (s *session) awaitMark(show *screen.Screen) {
	s.relay.After(silence, func() {
		if s.tracker.State == tracker.Unknown && !s.tracker.Alt {
			show.Say("%s", show.Paint.Dim(silent))
		}
	})
}

// silent is said where the agent can't be asked by a # line.
const silent = "This shell doesn't say when it is at its prompt, so # begins a comment: " +
	"ua TASK asks."
