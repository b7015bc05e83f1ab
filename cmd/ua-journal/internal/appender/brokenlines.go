package appender

import "ua/internal/common/event"

// replaceBroken replaces lines that are no events by events that say so, as far as those are
// reported.
func (a *Appender) replaceBroken(pieces []piece) []piece {
	n := 0
	for i := range pieces {
		if pieces[i].bad.Why != "" {
			bad := a.broken.Add(&pieces[i].bad)
			if bad == nil {
				continue
			}
			pieces[i].hash(a, brokenEvent(bad, pieces[i].line))
		}
		// Swapped and not copied: the buffers of a piece are used again for the next
		// batch.
		pieces[n], pieces[i] = pieces[i], pieces[n]
		n++
	}
	return pieces[:n]
}

// brokenEvent returns the error event for a line that is no event.
func brokenEvent(bad *event.Malformed, line []byte) []byte {
	return event.New("error").Str("stage", "ua-journal").Str("message", bad.Error()).
		Bool("retryable", false).OptStr("line", string(line[:min(len(line), 1000)])).Line()
}
