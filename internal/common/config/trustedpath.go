package config

import (
	"os"
	"path/filepath"
	"slices"

	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
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
	if text, err := Read(path); err == nil {
		_, _ = Decode(string(text), into)
	}
}

// CheckLinks returns an error if a symbolic link on the way to the file that an option names
// lies where commands may write, in base or in a folder of Writable or write, and leads out of
// there. A command of this run or of an earlier one may have made it, so that what the model
// may not see is sent to it, or its answer is written where it may not write. A folder that
// does not exist counts for nothing; a relative one is in base.
func CheckLinks(option, path, base string, write ...string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %q: %v", option, path, err)
	}
	dirs := real(base, slices.Concat(Writable(), write, []string{"."}))
	within := func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return confine.Under(path, dir) })
	}
	target := func(path string) string {
		to, _ := os.Readlink(path)
		return to
	}
	planted := ""
	end := safefile.Walk("/", abs, target, func(in, link string) bool {
		if link != "" && within(in) {
			planted = link
		}
		return true
	})
	if planted == "" || within(end) {
		return nil
	}
	return prog.Errorf(prog.Trouble, "%s: %q: %q is a symbolic link in a folder that commands may "+
		"write, and leads out of it", option, path, planted).Hintf("name %q itself", end)
}

// real returns the folders without symbolic links.
func real(base string, folders []string) (dirs []string) {
	for _, dir := range folders {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(base, dir)
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dirs = append(dirs, real)
		}
	}
	return dirs
}
