package main

import (
	"os"

	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/mark"
	"ua/cmd/ua-shell/internal/tracker"
)

// A session is a shell that tells us what it is at.
type session struct {
	*wrapper
	meet    *integration.Integration
	parser  *mark.Parser
	tracker *tracker.Tracker
	debug   *os.File // gets every event, nil for none
}

// newSession has the shell integrated and its output read.
func newSession(w *wrapper, meet *integration.Integration, debug *os.File) *session {
	s := &session{wrapper: w, meet: meet, parser: mark.New(meet.Nonce), tracker: tracker.New(), debug: debug}
	w.folder = meet.Folder
	w.begin = s.begin
	return s
}

// begin is called before the first byte passes.
func (s *session) begin() {
	s.tracker.Print = s.relay.Print
	s.tracker.Ready = s.meet.Loaded
	s.tracker.Waiting = func(number string) { s.meet.Answer(number, false) }
	s.parser.Text = s.relay.Print
	s.parser.Event = s.event
	s.relay.Output = s.parser.Feed
	s.drained = s.parser.Flush
}

func (s *session) event(e mark.Event) {
	if s.debug != nil {
		s.log(e)
	}
	s.tracker.Event(e)
}
