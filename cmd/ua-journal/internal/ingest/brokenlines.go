package ingest

import (
	"io"
	"slices"

	"ua/internal/common/event"
)

// replaceBroken replaces lines that are no events by events that say so, many of them by
// one. What is still to be said goes in front of a summary, which must be the last event
// of a run.
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
		// Swapped and not copied: the buffers of a piece are used again for the next
		// batch.
		pieces[n], pieces[i] = pieces[i], pieces[n]
		n++
	}
	return pieces[:n]
}

// end keeps what is still to be said about broken lines when the stream ends.
func (a *Appender) end(err error) error {
	if err != io.EOF {
		return err
	}
	if bad := a.broken.Rest(); bad != nil {
		return a.Take(brokenEvent(bad, nil))
	}
	return nil
}

// brokenEvent returns the error event for lines that are no events.
func brokenEvent(bad *event.Malformed, line []byte) []byte {
	return event.New("error").Str("stage", "ua-journal").Str("message", bad.Error()).
		Bool("retryable", false).OptStr("line", string(line[:min(len(line), 1000)])).Line()
}
