package ring

import (
	"os"
	"path/filepath"
	"slices"

	"ua/internal/common/config"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
	"ua/internal/common/symlink"
)

// notPlanted returns an error if a symbolic link on the way to the file that an option
// names lies where commands may write, and leads out of there. A command of this run or of
// an earlier one may have made it, so that what the model may not see is sent to it, or
// its answer is written where it may not write.
func (o *options) notPlanted(option, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %q: %v", option, path, err)
	}
	dirs, planted := o.writtenByCommands(), ""
	within := func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return confine.Under(path, dir) })
	}
	target := func(path string) string {
		to, _ := os.Readlink(path)
		return to
	}
	end := symlink.Follow("/", abs, target, func(in, link string) bool {
		if link != "" && planted == "" && within(in) {
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

// writtenByCommands returns the folders that commands of this run may write, and those that
// the settings let commands of other runs write, without symbolic links.
func (o *options) writtenByCommands() (dirs []string) {
	workspace := o.workspace
	if workspace == "" {
		workspace, _ = os.Getwd()
	}
	for _, dir := range slices.Concat(config.Writable(), o.write, []string{"."}) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(workspace, dir)
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dirs = append(dirs, real)
		}
	}
	return dirs
}
