package proxy

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Which registry a tool asks by default is a fact about the tool, and is in the files
// that came with it. These files are read. No tool is asked, because npm, pip and cargo
// would run outside, with settings that they find in the working folder.

// defaults returns the registries that a tool asks when no settings name one. A tool that
// is not installed asks none, and a machine that is set to a mirror is not led past it.
//
// Sources: npm config, "registry"; pip install, "--index-url", whose pages lead to
// files.pythonhosted.org; The Cargo Book, "Registries", whose index names
// static.crates.io for downloads; yarn config, "registry" and "npmRegistryServer".
func (m presets) defaults(tool string) []string {
	if m.find == nil || m.find(tool) == "" {
		return nil
	}
	switch tool {
	case "npm", "pnpm", "bun":
		return []string{"https://registry.npmjs.org"}
	case "yarn":
		return []string{"https://registry.yarnpkg.com"}
	case "pip", "pip3", "uv":
		return []string{"https://pypi.org", "https://files.pythonhosted.org"}
	case "cargo":
		return []string{"https://index.crates.io", "https://static.crates.io"}
	}
	return nil
}

// finder returns find with a memory. Each tool is asked for several times, and find
// searches all folders of PATH.
func finder() func(tool string) string {
	found := map[string]string{}
	return func(tool string) string {
		path, known := found[tool]
		if !known {
			path = find(tool)
			found[tool] = path
		}
		return path
	}
}

// find returns the file of a program on PATH with links resolved, or "". Most folders
// have none of the tools, which one call tells; exec.LookPath needs two calls and an
// error.
func find(tool string) string {
	for dir := range strings.SplitSeq(os.Getenv("PATH"), string(filepath.ListSeparator)) {
		path := dir + "/" + tool
		if dir == "" {
			path = "./" + tool
		}
		if unix.Access(path, unix.X_OK) != nil {
			continue
		}
		if _, err := exec.LookPath(path); err != nil {
			continue // a folder
		}
		if path, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) {
			return path
		}
		return ""
	}
	return ""
}

// prefixes returns the folders below which the tools are installed: PREFIX of
// PREFIX/bin/TOOL. Folders in the working folder are left out, since commands may write
// there.
func (m presets) prefixes(tools ...string) (dirs []string) {
	for _, tool := range tools {
		if m.find == nil || m.find(tool) == "" {
			continue
		}
		if dir := filepath.Dir(filepath.Dir(m.find(tool))); !m.inside(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// inside reports whether a path lies in the working folder.
func (m presets) inside(path string) bool {
	here := m.here
	if here == "" {
		here = m.dir
		if real, err := filepath.EvalSymlinks(here); err == nil {
			here = real
		}
	}
	rel, err := filepath.Rel(here, path)
	return err != nil || rel != ".." && !strings.HasPrefix(rel, "../")
}

// npmFiles returns the settings files that npm reads besides a project's: those of the
// user, of the machine, of node's prefix and of whoever has packaged npm (npmrc(5),
// "Global config file" and "Built-in config file").
func (m presets) npmFiles() []string {
	var more []string
	for _, name := range []string{"userconfig", "globalconfig"} {
		more = append(more, m.getenv("npm_config_"+name),
			m.getenv("NPM_CONFIG_"+strings.ToUpper(name)))
	}
	for _, dir := range append(m.prefixes("node"), m.getenv("npm_config_prefix"),
		m.getenv("NPM_CONFIG_PREFIX"), m.getenv("PREFIX")) {
		more = append(more, filepath.Join(dir, "etc/npmrc"))
	}
	for _, dir := range m.prefixes("npm") { // PREFIX/lib/node_modules/npm of its bin/npm-cli.js
		more = append(more, filepath.Join(dir, "npmrc"))
		if prefix, ok := strings.CutSuffix(dir, "/lib/node_modules/npm"); ok {
			more = append(more, filepath.Join(prefix, "etc/npmrc"))
		}
	}
	return m.files(more, filepath.Join(m.home, ".npmrc"), filepath.Join(m.home, ".config/pnpm/rc"),
		m.system("/etc/npmrc"), m.system("/usr/etc/npmrc"), m.system("/usr/local/etc/npmrc"))
}

// pipFiles returns the settings files that pip reads (pip, "Configuration Files").
func (m presets) pipFiles() []string {
	more := []string{m.getenv("PIP_CONFIG_FILE")}
	for _, dir := range append(m.prefixes("pip", "pip3", "python3"), m.getenv("VIRTUAL_ENV")) {
		more = append(more, filepath.Join(dir, "pip.conf"))
	}
	return m.files(more, filepath.Join(m.home, ".config/pip/pip.conf"),
		filepath.Join(m.home, ".pip/pip.conf"),
		m.system("/etc/pip.conf"), m.system("/etc/xdg/pip/pip.conf"))
}

// files returns the usual files, and those of more that are absolute and not in the
// working folder, each once.
func (m presets) files(more []string, usual ...string) []string {
	for _, path := range more {
		if filepath.IsAbs(path) && !m.inside(path) && !slices.Contains(usual, path) {
			usual = append(usual, path)
		}
	}
	return usual
}
