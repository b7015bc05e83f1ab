package prog

import (
	"path/filepath"
	"slices"
	"strings"
)

// A kind says how a variable's value names code.
type kind int

const (
	harmless kind = iota
	paths         // one path, or a list with colons; relative ones are in the working directory
	modules       // such a list, in which a name without a slash is looked for elsewhere
	options       // text of any form that names files: options, patterns, code
)

// kindOf returns the kind of a variable by which the loader, a shell or an interpreter finds
// code before its own, and of the options those that take a file of the working directory
// also by a name without a slash. The sources are the manuals: ld.so(8), dyld(1), bash(1),
// zsh(1), git(1), openssl(1), and those of the interpreters. What git and pagers run is not
// here: ua-sandbox(1) protects these programs. A number at the name's end (LUA_INIT_5_4) is
// not part of it.
func kindOf(name string) (k kind, loads string) {
	switch strings.TrimRight(name, "_0123456789") {
	case "LD_LIBRARY_PATH", "GCONV_PATH", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES",
		"DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH",
		"DYLD_FALLBACK_FRAMEWORK_PATH", "DYLD_VERSIONED_LIBRARY_PATH",
		"DYLD_VERSIONED_FRAMEWORK_PATH", "DYLD_INSERT_LIBRARIES", "DYLD_ROOT_PATH",
		"BASH_ENV", "BASH_LOADABLES_PATH", "ENV", "SHELL", "ZDOTDIR", "FPATH",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX",
		"PYTHONEXECUTABLE", "PERLLIB", "PERL5LIB", "PERL_USE_UNSAFE_INC", // 1 adds "." to the list
		"RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE", "BUNDLE_PATH",
		"NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "CLASSPATH", "JAVA_HOME", "PHPRC",
		"GUILE_LOAD_PATH", "GUILE_LOAD_COMPILED_PATH", "GUILE_EXTENSIONS_PATH",
		"R_HOME", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS",
		"R_LIBS_USER", "R_LIBS_SITE", "ERL_LIBS", "TCL_LIBRARY", "TK_LIBRARY",
		"DOTNET_ROOT", "DOTNET_ADDITIONAL_DEPS", "CORECLR_PROFILER_PATH", "COR_PROFILER_PATH",
		"VIM", "VIMRUNTIME", "EMACSLOADPATH", "LESSKEY", "LESSKEYIN", "LESSKEY_SYSTEM",
		"GTK_PATH", "GTK_EXE_PREFIX", "GTK_IM_MODULE_FILE", "GDK_PIXBUF_MODULE_FILE",
		"GIO_EXTRA_MODULES", "GIO_MODULE_DIR", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH",
		"QML_IMPORT_PATH", "QML2_IMPORT_PATH":
		return paths, ""
	case "LD_PRELOAD", "LD_AUDIT", "GTK_MODULES", "DOTNET_STARTUP_HOOKS":
		return modules, ""
	case "PERL5DB", "LUA_PATH", "LUA_CPATH", "PHP_INI_SCAN_DIR", "JULIA_LOAD_PATH",
		"JULIA_DEPOT_PATH", "JULIA_PROJECT", "TCLLIBPATH":
		return options, ""
	case "NODE_OPTIONS", "BUN_OPTIONS":
		return options, "-r --require --import --loader --experimental-loader --preload " +
			"--openssl-config --snapshot-blob -c --config --experimental-config-file"
	case "PERL5OPT", "RUBYOPT":
		return options, "-I -Mlib -mlib"
	case "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS",
		"GRADLE_OPTS", "SBT_OPTS", "ANT_OPTS":
		return options, "@ -javaagent -agentpath -Xbootclasspath -Xbootclasspath/a -cp " +
			"-classpath --class-path -p --module-path --upgrade-module-path --patch-module " +
			"-Djava.class.path -Djava.library.path -Djava.ext.dirs -Djava.endorsed.dirs " +
			"-XX:Flags -XX:VMOptionsFile -XX:SharedArchiveFile"
	case "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ELIXIR_ERL_OPTIONS":
		return options, "-pa -pz -path -config -boot -args_file"
	case "LUA_INIT":
		return options, "@ dofile loadfile require"
	}
	return harmless, ""
}

// variable returns a variable, as NAME=VALUE, without what commands can change of a list,
// and false if nothing is left. Of options, all stay or none.
func (c change) variable(v string) (string, bool) {
	name, value, _ := strings.Cut(v, "=")
	k, loads := kindOf(name)
	switch k {
	case harmless:
		return v, true
	case options:
		return v, !c.namedIn(value, strings.Fields(loads))
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
	return !filepath.IsAbs(path) || c.ways.lead(path, c.open) || c.ways.lead(path, c.home)
}

// namedIn reports whether a text names a file that commands can change: as an argument of
// one of the options loads, or by a path that says where it begins, in any place of it. An
// argument follows as a word or after = or :, or after a letter or @ without either.
func (c change) namedIn(text string, loads []string) bool {
	words := strings.FieldsFunc(strings.ReplaceAll(text, "file://", ""), func(r rune) bool {
		return strings.ContainsRune(" \t\n\"'`();", r)
	})
	argument := false
	for _, word := range words {
		list, rest := word, ""
		if !argument {
			list, rest = argumentOf(word, loads)
		}
		argument = slices.Contains(loads, word)
		for path := range strings.SplitSeq(list, ":") {
			if path != "" && c.chosen(path) {
				return true
			}
		}
		for path := range strings.FieldsFuncSeq(rest, marks) {
			if len(path) > 2 && path[0] == '-' {
				path = path[2:] // of a letter
			}
			if strings.IndexAny(path, "./") == 0 && strings.Contains(path, "/") && c.chosen(path) {
				return true
			}
		}
	}
	return false
}

// argumentOf returns a word's argument, if one of the options is in it, and what else the
// word says.
func argumentOf(word string, loads []string) (argument, rest string) {
	head, value := word, ""
	if at := strings.IndexAny(word, "=:"); at > 0 {
		head, value = word[:at], word[at+1:]
	}
	if slices.Contains(loads, head) {
		argument, rest, _ = strings.Cut(value, "=")
		return argument, rest
	}
	for _, o := range loads {
		letter := o == "@" || len(o) == 2 && o[0] == '-'
		if argument, ok := strings.CutPrefix(word, o); ok && letter {
			return argument, ""
		}
	}
	return "", word
}

// marks reports whether r parts words within an option.
func marks(r rune) bool { return strings.ContainsRune("=:,@", r) }
