package jobs

// The bounds of a job's log: it holds at least the last RingLines lines, at most twice
// as many, and of very long lines RingBytes.
const (
	RingLines = 1000
	RingBytes = 1 << 20
)
