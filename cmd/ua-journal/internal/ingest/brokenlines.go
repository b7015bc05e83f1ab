package ingest

import (
	"io"
	"slices"

	"ua/internal/common/event"
)

// replaceBroken puts in place of a line that is no event, or of many of them, an event that
// says so. What waits to be said stands before a summary, which is a run's last event.
func (a *Appender) replaceBroken(pieces []piece) []piece {
	n := 0
	for i := 0; i < len(pieces); i++ {
		bad, line := (*event.Malformed)(nil), pieces[i].line
		switch {
		case pieces[i].bad.Why != "":
			if bad = a.broken.Add(&pieces[i].bad); bad == nil {
				continue
			}
		case pieces[i].typ == "summary":
			if bad = a.broken.Rest(); bad != nil {
				pieces, line = slices.Insert(pieces, i, piece{}), nil
			}
		}
		if bad != nil {
			pieces[i].hash(a, brokenEvent(bad, line))
		}
		pieces[n], pieces[i] = pieces[i], pieces[n]
		n++
	}
	return pieces[:n]
}

// end keeps what waits to be said of broken lines, behind the end of the stream.
func (a *Appender) end(err error) error {
	if err != io.EOF {
		return err
	}
	if bad := a.broken.Rest(); bad != nil {
		return a.Take(brokenEvent(bad, nil))
	}
	return nil
}

// brokenEvent is the error event for a line that is no event.
func brokenEvent(bad *event.Malformed, line []byte) []byte {
	return event.New("error").Str("stage", "ua-journal").Str("message", bad.Error()).
		Bool("retryable", false).OptStr("line", string(line[:min(len(line), 1000)])).Line()
}
