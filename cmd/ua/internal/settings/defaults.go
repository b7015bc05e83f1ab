package settings

// DefaultHosts returns what network commands may reach unless the user says otherwise.
func DefaultHosts() []string { return []string{"packages", "git"} }

// What commands may use unless the user says otherwise.
const (
	DefaultPids = 4096
	DefaultSize = 8 << 30
)
