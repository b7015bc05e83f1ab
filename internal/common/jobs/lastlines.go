package jobs

// Last returns the last lines of b, at most RingBytes of it.
func Last(b []byte, lines int) []byte {
	at := len(b)
	for n := 0; at > 0 && len(b)-at < RingBytes; at-- {
		if b[at-1] == '\n' && at < len(b) {
			if n++; n >= lines {
				break
			}
		}
	}
	return b[at:]
}
