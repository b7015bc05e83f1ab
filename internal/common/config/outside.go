package config

import (
	"path/filepath"

	"ua/internal/common/prog"
	"ua/internal/common/xdg"
)

// OutsideEnv is prog.OutsideEnv with the folders of Writable.
func OutsideEnv(env []string) []string { return prog.OutsideEnv(env, Writable()...) }

// LookOutside is prog.LookOutside with the folders of Writable.
func LookOutside(name string) (string, error) { return prog.LookOutside(name, Writable()...) }

// Sibling is prog.Sibling with the folders of Writable.
func Sibling(name string) string {
	if prog.Sibling(name) == "" { // usual, and told without the settings
		return ""
	}
	return prog.Sibling(name, Writable()...)
}

// Writable returns the paths that the user's settings let commands write: those of runs, and
// those of the user's profiles of ua-sandbox(1). This run may have none of them, but an
// earlier one had. Settings that cannot be read name none, since no run begins with them.
func Writable() (paths []string) {
	var settings struct {
		Sandbox struct {
			Write []string `toml:"write"`
		} `toml:"sandbox"`
	}
	lenient(Path(), &settings)
	paths = settings.Sandbox.Write
	profiles, _ := filepath.Glob(filepath.Join(xdg.Config(), "profiles", "*.toml"))
	for _, path := range profiles {
		var profile struct {
			Write []string `toml:"write"`
		}
		lenient(path, &profile)
		paths = append(paths, profile.Write...)
	}
	for i := range paths {
		paths[i] = Expand(paths[i])
	}
	return paths
}

// lenient decodes what can be read of the file at path into into.
func lenient(path string, into any) {
	if text, err := read(path); err == nil {
		_, _ = Decode(string(text), into)
	}
}
