package proxy

import "os/exec"

// defaults returns the registries that a tool asks when no settings name one. What is
// not installed asks nothing, and a machine that is set to a mirror of its own is
// not led past it.
//
// Sources: npm config, "registry"; pip install, "--index-url", whose pages lead to
// files.pythonhosted.org; The Cargo Book, "Registries", whose index names
// static.crates.io for downloads.
func (m presets) defaults(tool string) []string {
	if m.installed == nil || !m.installed(tool) {
		return nil
	}
	switch tool {
	case "npm":
		return []string{"https://registry.npmjs.org"}
	case "pip", "pip3", "uv":
		return []string{"https://pypi.org", "https://files.pythonhosted.org"}
	case "cargo":
		return []string{"https://index.crates.io", "https://static.crates.io"}
	}
	return nil
}

// installed reports whether a program is on PATH.
func installed(tool string) bool {
	_, err := exec.LookPath(tool)
	return err == nil
}
