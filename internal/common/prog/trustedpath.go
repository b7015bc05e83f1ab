package prog

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ua/internal/common/safefile"
)

// OutsidePath returns PATH for programs that run outside of any sandbox: those that a line
// of the settings names, a hook, an editor. A folder on it is left out that is not absolute,
// that is in the working directory, in TMPDIR or in one of writable, or that is reached
// through one of them, since a command could have put another program there: commands find
// them by run.EnvPath. Our own programs come last.
func OutsidePath(writable ...string) string {
	return changeableBy(writable).path()
}

// path is OutsidePath.
func (c change) path() string {
	var list []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if slices.Contains(systemFolders[:], dir) || filepath.IsAbs(dir) && !c.folder(dir) {
			list = append(list, dir)
		}
	}
	if self, err := os.Executable(); err == nil && !slices.Contains(list, filepath.Dir(self)) {
		list = append(list, filepath.Dir(self))
	}
	return strings.Join(list, string(filepath.ListSeparator))
}

// OutsideEnv returns env for such a program, with OutsidePath as its PATH. What commands can
// change is left out, too, of the lists by which programs find code that they load.
func OutsideEnv(env []string, writable ...string) []string {
	c := changeableBy(writable)
	kept := make([]string, 0, len(env)+1)
	for _, v := range env {
		if v, ok := c.variable(v); ok && !strings.HasPrefix(v, "PATH=") {
			kept = append(kept, v)
		}
	}
	return append(kept, "PATH="+c.path())
}

// LookOutside is exec.LookPath with OutsidePath. It also skips a program that is a link to
// where commands can write.
func LookOutside(name string, writable ...string) (string, error) {
	if strings.Contains(name, "/") {
		return exec.LookPath(name)
	}
	if path := changeableBy(writable).find(name, func(string) bool { return false }); path != "" {
		return path, nil
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// find returns the program of that name in the first folder of OutsidePath that has one, unless
// it is a link to where commands can write, or lies in a folder that is refused.
func (c change) find(name string, refused func(dir string) bool) string {
	for _, dir := range filepath.SplitList(c.path()) {
		path := filepath.Join(dir, name)
		real, err := filepath.EvalSymlinks(path)
		if err == nil && Runnable(real) && !leads(path, c.open) && !refused(dir) &&
			!refused(filepath.Dir(real)) {
			return path
		}
	}
	return ""
}

// A change holds the folders that commands may write, without links. Where one holds the user's
// home, ua-sandbox(1) protects the folders on PATH that exist in it.
type change struct{ open, home []string }

// changeableBy returns the folders that commands may write: their own, and writable.
func changeableBy(writable []string) (c change) {
	c.open = []string{real(os.TempDir())}
	if dir, err := os.Getwd(); err == nil {
		writable = append(writable[:len(writable):len(writable)], dir)
	}
	home := os.Getenv("HOME")
	for _, dir := range writable {
		if dir = real(dir); filepath.IsAbs(home) && leads(home, []string{dir}) {
			c.home = append(c.home, dir)
		} else {
			c.open = append(c.open, dir)
		}
	}
	return c
}

// real returns the absolute path of a folder, without links if it exists.
func real(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return safefile.Follow(dir)
}

// folder reports whether a command can put a program into the folder, or another folder in
// its place.
func (c change) folder(dir string) bool {
	if leads(dir, c.open) {
		return true
	}
	if len(c.home) == 0 || !leads(dir, c.home) {
		return false
	}
	_, err := os.Stat(dir)
	return err != nil || slices.Contains(c.home, real(dir))
}

// leads reports whether one of the folders lies on the way to path, through all symbolic
// links: who can write that folder decides where the way ends. The path is absolute; the
// end of it need not exist.
func leads(path string, folders []string) bool {
	within := func(path string) bool {
		return slices.ContainsFunc(folders, func(dir string) bool {
			return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
		})
	}
	target := func(path string) string {
		to, _ := os.Readlink(path)
		return to
	}
	// What a ".." leaves could be a link as well.
	end := safefile.Walk("/", path, target, func(in, _ string) bool { return !within(in) })
	return end == "" || within(end)
}

// A kind says how a variable's value names code.
type kind int

const (
	harmless kind = iota
	paths         // one path, or a list with colons; relative ones are in the working directory
	modules       // such a list, in which a name without a slash is looked for elsewhere
	options       // text of any form that may name files: options, patterns, code
)

//go:embed variables.txt
var variables string

// codeVariables returns the rows of variables.txt by name.
var codeVariables = sync.OnceValue(func() map[string]kind {
	kinds := map[string]kind{"paths": paths, "modules": modules, "options": options}
	all := map[string]kind{}
	for line := range strings.Lines(variables) {
		if words := strings.Fields(line); words[0] != "#" {
			for _, name := range words[1:] {
				all[name] = kinds[words[0]]
			}
		}
	}
	return all
})

// kindOf returns what is known of a variable. A number at the name's end (LUA_INIT_5_4) is not
// part of it.
func kindOf(name string) kind {
	return codeVariables()[strings.TrimRight(name, "_0123456789")]
}

// variable returns a variable, as NAME=VALUE, without what commands can change of a list,
// and false if nothing is left. Options are left out: how they name a file, each interpreter
// has rules of its own for.
func (c change) variable(v string) (string, bool) {
	name, value, _ := strings.Cut(v, "=")
	k := kindOf(name)
	if k == harmless || k == options {
		return v, k == harmless || value == ""
	}
	if strings.HasPrefix(name, "LD_") && k == modules { // with spaces between them as well
		value = strings.ReplaceAll(value, " ", ":")
	}
	kept := slices.DeleteFunc(strings.Split(value, ":"), func(path string) bool {
		if k == modules && !strings.Contains(path, "/") {
			return path == ""
		}
		return c.chosen(path)
	})
	return name + "=" + strings.Join(kept, ":"), len(kept) > 0
}

// chosen reports whether commands can decide what lies at a path.
func (c change) chosen(path string) bool {
	return !filepath.IsAbs(path) || leads(path, c.open) || leads(path, c.home)
}
