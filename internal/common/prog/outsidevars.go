package prog

import (
	"path/filepath"
	"slices"
	"strings"
)

// searched are variables with lists of folders or files from which the loader, a shell or an
// interpreter takes code before its own: ld.so(8), bash(1), sh(1), python(1), perlrun(1),
// ruby(1), the manuals of Node, Guile and Java, git(1), and dyld(1) of macOS. An empty or
// relative one is in the working directory, as after "export PYTHONPATH=/x:$PYTHONPATH".
var searched = [...]string{
	"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GCONV_PATH", "BASH_ENV", "ENV",
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PERL5LIB", "PERLLIB", "RUBYLIB",
	"NODE_PATH", "GUILE_LOAD_PATH", "CLASSPATH", "GIT_EXEC_PATH", "DYLD_LIBRARY_PATH",
	"DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "DYLD_INSERT_LIBRARIES",
}

// variable returns a variable, as NAME=VALUE, without what commands can change of such a
// list, and false if nothing is left.
func (c change) variable(v string) (string, bool) {
	name, value, _ := strings.Cut(v, "=")
	if !slices.Contains(searched[:], name) {
		return v, true
	}
	preload := name == "LD_PRELOAD" || name == "LD_AUDIT"
	if preload { // files, and with spaces between them as well
		value = strings.ReplaceAll(value, " ", ":")
	}
	kept := slices.DeleteFunc(strings.Split(value, ":"), func(path string) bool {
		if preload && !strings.Contains(path, "/") {
			return path == "" // others are looked for as any library is
		}
		return !filepath.IsAbs(path) || c.ways.lead(path, c.open) || c.ways.lead(path, c.home)
	})
	return name + "=" + strings.Join(kept, ":"), len(kept) > 0
}
