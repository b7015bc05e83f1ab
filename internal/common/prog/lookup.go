package prog

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Sibling returns the absolute path of one of our programs: the file beside this program,
// or the first one on PATH, or "". Folders on PATH that a command in a sandbox may write
// are skipped, as in Lookup. If the system does not say which file this program is, as in
// a chroot without /proc, the system's folders come first: with / as the working
// directory, every folder on PATH is skipped.
func Sibling(name string) string {
	self, err := os.Executable()
	if err == nil {
		if path := filepath.Join(filepath.Dir(self), name); Runnable(path) {
			return path
		}
		return onPath(name, changeable())
	}
	for _, dir := range systemFolders {
		if path := filepath.Join(dir, name); Runnable(path) && !ownWrite(dir) {
			return path
		}
	}
	return onPath(name, changeable())
}

// FindSibling returns Sibling's path, or an error that the program is missing.
func FindSibling(name string) (path string, err error) {
	if path = Sibling(name); path == "" {
		return "", Errorf(NotFound, "%s: not found beside this program or on PATH", name).
			Hintf("make install puts all programs into one folder")
	}
	return path, nil
}

// systemFolders hold the programs of the system.
var systemFolders = [...]string{"/usr/bin", "/bin", "/usr/local/bin"}

// Lookup returns the absolute path of a program that runs outside of any sandbox: in a
// folder of the system, or else on PATH, or "". It skips a folder on PATH that is not
// absolute, that is in the working directory, in TMPDIR or in one of writable, or that
// the user can write, since a command could have put another program there. Root can
// write all folders, so for root the last condition is about folders that others can
// write.
func Lookup(name string, writable ...string) string {
	for _, dir := range systemFolders {
		if path := filepath.Join(dir, name); Runnable(path) {
			return path
		}
	}
	return onPath(name, append(changeable(), writable...), ownWrite)
}

// OutsidePath returns PATH for programs that run outside of any sandbox: those that a line
// of the settings names, a hook, an editor. A folder on it that is not absolute, that is in
// the working directory or in TMPDIR is left out, since a command could have put another
// program there: commands find them by run.EnvPath. Where the home is in the working
// directory, ua-sandbox(1) protects what is on PATH. Our own programs come last.
func OutsidePath() string {
	writable := []string{os.TempDir()}
	if dir, err := os.Getwd(); err == nil && !under(os.Getenv("HOME"), dir) {
		writable = append(writable, dir)
	}
	var list []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if slices.Contains(systemFolders[:], dir) || filepath.IsAbs(dir) &&
			!slices.ContainsFunc(writable, func(w string) bool { return under(dir, w) }) {
			list = append(list, dir)
		}
	}
	if self, err := os.Executable(); err == nil && !slices.Contains(list, filepath.Dir(self)) {
		list = append(list, filepath.Dir(self))
	}
	return strings.Join(list, string(filepath.ListSeparator))
}

// LookOutside is exec.LookPath with OutsidePath.
func LookOutside(name string) (string, error) {
	if strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(OutsidePath()) {
		if path := filepath.Join(dir, name); Runnable(path) {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// OutsideEnv returns env for such a program, with OutsidePath as its PATH.
func OutsideEnv(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "PATH=")
	})
	return append(env, "PATH="+OutsidePath())
}

// changeable returns the folders that a command in a sandbox may write.
func changeable() []string {
	dirs := []string{os.TempDir()}
	if dir, err := os.Getwd(); err == nil {
		dirs = append(dirs, dir)
	}
	return dirs
}

// ownWrite reports whether this user can write the folder, or for root whether another
// user can.
func ownWrite(dir string) bool {
	if os.Geteuid() != 0 {
		return unix.Access(dir, unix.W_OK) == nil
	}
	var stat unix.Stat_t
	return unix.Stat(dir, &stat) != nil || stat.Uid != 0 || stat.Mode&0o022 != 0
}

// onPath returns the first program of that name in a folder on PATH that is absolute, is
// in none of the writable ones, and that no refuse refuses.
func onPath(name string, writable []string, refuse ...func(dir string) bool) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		if !filepath.IsAbs(dir) || err != nil || !Runnable(real) {
			continue
		}
		bad := slices.ContainsFunc([]string{dir, filepath.Dir(real)}, func(dir string) bool {
			return slices.ContainsFunc(writable, func(w string) bool { return under(dir, w) }) ||
				slices.ContainsFunc(refuse,
					func(refuses func(string) bool) bool { return refuses(dir) })
		})
		if !bad {
			return path
		}
	}
	return ""
}

// under reports whether dir is the folder outer or is in it, by name or by where both
// lead.
func under(dir, outer string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	within, err := filepath.EvalSymlinks(outer)
	if err != nil {
		within = outer
	}
	for _, path := range []string{dir, real} {
		for _, top := range []string{outer, within} {
			if rel, err := filepath.Rel(top, path); err == nil && rel != ".." &&
				!strings.HasPrefix(rel, "../") {
				return true
			}
		}
	}
	return false
}

// Runnable reports whether path is a regular file that somebody may execute.
func Runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
