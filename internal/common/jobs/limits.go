package jobs

// Limits of a job's log. It holds at least the last RingLines lines and at most twice as
// many, and of very long lines RingBytes.
const (
	RingLines = 1000
	RingBytes = 1 << 20
)
