package access

import (
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/confine"
	"ua/internal/common/xdg"
)

// ownSecrets returns ua's own files that no command may read, wherever the environment
// and the settings put them: settings, and files and programs that hold a key.
func ownSecrets() (paths []string) {
	paths = append(settings(), xdg.State(), Absolute(config.Path()))
	for key, words := range settingWords(config.Path()) {
		for _, path := range words {
			if strings.HasSuffix(key, "_file") || strings.HasSuffix(key, "_cmd") &&
				!aProgram(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// ownPrograms returns the files that a later run of ua starts, or judges by, outside of
// the sandbox.
func ownPrograms() (paths []string) {
	for _, file := range []string{config.Path(), filepath.Join(xdg.Config(), "policy.toml")} {
		for key, words := range settingWords(file) {
			switch last := key[strings.LastIndexByte(key, '.')+1:]; {
			case last == "think", last == "gate", last == "exec", last == "command", last == "policy",
				strings.HasSuffix(last, "_cmd"):
				paths = append(paths, words...)
			}
		}
	}
	return paths
}

// aProgram reports whether path is one of the machine's own programs.
func aProgram(path string) bool {
	for _, dir := range []string{"/usr", "/bin", "/sbin", "/opt", "/nix"} {
		if confine.Under(path, dir) {
			return true
		}
	}
	return false
}

// settingWords returns the words with a slash in the values of a TOML file, made
// absolute, by the dotted key of their value.
func settingWords(path string) map[string][]string {
	words := map[string][]string{}
	text, err := readText(path)
	if err != nil {
		return words
	}
	var tables map[string]any
	if _, err := config.Decode(text, &tables); err != nil {
		return words
	}
	var walk func(key string, value any)
	walk = func(key string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(strings.TrimPrefix(key+"."+name, "."), inner)
			}
		case []map[string]any:
			for _, inner := range v {
				walk(key, inner)
			}
		case []any:
			for _, inner := range v {
				walk(key, inner)
			}
		case string:
			if strings.HasSuffix(key, "_file") && v != "" {
				words[key] = append(words[key], Absolute(v))
				return
			}
			// A command line: any word with a slash could be a file that it runs or
			// reads.
			for _, word := range strings.FieldsFunc(v,
				func(r rune) bool { return strings.ContainsRune(" \t\n'\";|&<>()", r) }) {
				if strings.ContainsRune(word, '/') {
					words[key] = append(words[key], Absolute(os.Expand(word, os.Getenv)))
				}
			}
		}
	}
	walk("", tables)
	return words
}

// settings returns the files of ua's own settings that a command may not read. The policy
// and its hooks are not among them, because the gate of a subagent judges by them too, nor
// are skills, which are written for who runs commands.
func settings() (paths []string) {
	entries, err := os.ReadDir(xdg.Config())
	if err != nil {
		return []string{xdg.Config()}
	}
	for _, e := range entries {
		if name := e.Name(); name != "policy.toml" && name != "hooks" && name != "skills" {
			paths = append(paths, filepath.Join(xdg.Config(), name))
		}
	}
	return paths
}

// rules protects, in every profile, the settings by which ua judges commands: the user's,
// and the .ua of the project in the working folder or above. A command that could write
// them could loosen how the next command is judged. --write with their name lifts this.
func (p *Policy) rules() {
	p.protect(append([]string{xdg.Config(), Absolute(config.Path())}, ownPrograms()...)...)
	p.protectLinked(xdg.Config(), 2, func(string) bool { return true })
	for at := p.Dir; ; at = filepath.Dir(at) {
		p.project(filepath.Join(at, ".ua"))
		if at == "/" {
			return
		}
	}
}

// project protects the settings of a project. They can only tighten, so creating new ones
// does no harm.
func (p *Policy) project(path string) {
	real, err := p.tree.existing(path)
	switch {
	case err != nil, p.named(real):
	default:
		if p.Writable(real) {
			p.keepReadOnly(path)
		}
		p.keepLinks(path)
		if policy := filepath.Join(real, "policy.toml"); p.tree.kind(policy) == link {
			p.protect(policy)
		}
	}
}
