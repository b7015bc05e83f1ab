package main

import (
	"fmt"
	"time"

	"ua/cmd/ua-shell/internal/mark"
)

// note writes an event, with the time, to the file of --debug-osc.
func (s *session) note(e mark.Event) {
	what := ""
	switch e.Kind {
	case mark.Own:
		what = fmt.Sprintf("ua %c %q", e.Letter, e.Body)
	case mark.Foreign:
		what = fmt.Sprintf("133 %c", e.Letter)
	case mark.Mode:
		what = fmt.Sprintf("mode %d %v", e.Mode, e.On)
	}
	fmt.Fprintf(s.log, "%s %s\n", time.Now().Format("15:04:05.000"), what)
}
