// Package process starts the programs of commands, and ends everything that they leave
// behind.
package process

// A Process is one that descends from ua-exec. Where the kernel does not report those, it
// stands for a process group, with a negative PID as in kill(2).
type Process struct {
	ID
	Session int
	Top     int // the child of ua-exec that it is or descends from
	Name    string
	parent  int
	group   int
	stopped bool // or does not show it
	threads int
}

// An ID identifies a process permanently. The PID alone may be reused by a process that
// starts later.
type ID struct {
	PID   int
	start uint64 // in ticks since the boot
}
