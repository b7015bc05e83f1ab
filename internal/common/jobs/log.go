package jobs

// The bounds of a job's log: it holds at least the last RingLines lines, at most twice
// as many, and of very long lines RingBytes.
const (
	RingLines = 1000
	RingBytes = 1 << 20
)

// Last returns the last lines of b, and of very long ones the last RingBytes.
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
