package settings

// What ua-exec needs for itself, since the limits of commands hold for it, too.
const (
	LeastPids = 48        // processes and threads
	leastMem  = 128 << 20 // bytes of each process
)

// RunPids is how many processes and threads the stages of a run need together, with a
// short command.
const RunPids = 130

// DefaultHosts returns the names of the hosts that network commands may reach by default.
// The names are groups of hosts that ua-sandbox knows.
func DefaultHosts() []string { return []string{"packages", "git"} }

// The default limits of commands.
const (
	DefaultPids = 4096
	DefaultSize = 8 << 30
)
