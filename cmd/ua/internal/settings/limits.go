package settings

// What ua-exec needs for itself, since the limits of commands hold for it, too.
const (
	LeastPids = 48        // processes and threads
	leastMem  = 128 << 20 // bytes of each process
)

// RunPids is how many processes and threads the stages of a run need together, with a
// short command.
const RunPids = 130
