package settings

// DefaultHosts returns the names of the hosts that network commands may reach by default.
// The names are groups of hosts that ua-sandbox knows.
func DefaultHosts() []string { return []string{"packages", "git"} }

// The default limits of commands.
const (
	DefaultPids = 4096
	DefaultSize = 8 << 30
)
