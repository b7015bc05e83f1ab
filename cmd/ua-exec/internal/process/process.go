// Package process starts programs of commands and ends all that they leave behind.
package process

// A process is one that descends from ua-exec. Where the kernel doesn't tell
// those, it is a group, with a negative pid as in kill(2).
type Process struct {
	ID
	Session int
	Top     int // the child of ua-exec that it is or descends from
	Name    string
	stopped bool
	threads int
}

// An ID is a process for good: its pid may be used again, by one that
// started later.
type ID struct {
	PID   int
	start uint64 // in ticks since the boot
}
