package provider

// Serves reports whether m's provider serves an API, its own or an older one.
func (m Model) Serves(api string) bool {
	row := m.row()
	return api != "" && (row.Name == api || row.older == api)
}

// Strict reports whether the provider refuses a conversation that is longer than the
// model's context. Others silently drop its beginning.
func (m Model) Strict() bool { return m.row().strict }

// Starts returns the command that starts a server of the provider on this machine, "" if
// there is none.
func (m Model) Starts() string { return m.row().starts }
