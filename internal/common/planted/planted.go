// Package planted finds symbolic links that a command may have left where the user names a
// file.
package planted

import (
	"os"
	"path/filepath"
	"slices"

	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/symlink"
)

// Check returns an error if a symbolic link on the way to the file that an option names
// lies in one of the folders, which commands may write, and leads out of them. A command of
// this run or of an earlier one may have made it, so that what the model may not see is
// sent to it, or its answer is written where it may not write. A folder that does not exist
// counts for nothing; a relative one is in base.
func Check(option, path, base string, folders []string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %q: %v", option, path, err)
	}
	dirs := real(base, folders)
	within := func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return confine.Under(path, dir) })
	}
	target := func(path string) string {
		to, _ := os.Readlink(path)
		return to
	}
	planted := ""
	end := symlink.Follow("/", abs, target, func(in, link string) bool {
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
