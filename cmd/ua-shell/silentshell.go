package main

import (
	"time"

	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/tracker"
)

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
