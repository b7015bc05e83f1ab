package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"

	"ua/internal/common/prog"
	"ua/internal/common/regular"
)

// projectFile is where a project has its settings, below its folder.
const projectFile = ".ua/config.toml"

// Projects returns the settings of the projects that the working folder lies in, the
// outermost first: those of the folder itself and of every one above it. All count, so
// that no folder below can free itself of one above. The user's own file is none of
// them.
func Projects() (paths []string) {
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	own, _ := filepath.Abs(Path())
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, projectFile)
		_, err := os.Lstat(path)
		gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if !gone && path != own {
			paths = append(paths, path)
		}
		if dir == filepath.Dir(dir) {
			slices.Reverse(paths)
			return paths
		}
	}
}

// LoadProject reads a project's settings into into, which names the tables that the
// program reads. A command may have written them, so they may only narrow: warn is told
// of each key that can't, which the caller then has to pass over. What is wrong otherwise
// is an error, as in the user's file; the caller narrows nothing by halves.
func LoadProject(path string, into any, warn func(string)) error {
	text, err := regular.Read(path, projectMax)
	var file *fs.PathError
	if errors.As(err, &file) {
		return prog.Errorf(prog.Trouble, "%s: %v", path, file.Err)
	}
	md, err := decode(path, string(text), into)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, key := range md.Keys() {
		name, why := widens(key)
		if why != "" && !told[name] {
			told[name] = true
			warn(fmt.Sprintf("%s: ignoring %s, which a project can't set: %s",
				place(path, string(text), key), name, why))
		}
	}
	return nil
}

// widens returns a key, or its table, and why no project may set it: "" for one that
// may. Tables of programs that are not ours are theirs.
func widens(key toml.Key) (name, why string) {
	if len(key) == 1 && slices.Contains([]string{"ua", "agents", "sandbox"}, key[0]) {
		return "", ""
	}
	if why := aboutModels(key[0]); why != "" {
		return "[" + key[0] + "]", why
	}
	switch name = strings.Join(key, "."); name {
	case "ua.think", "ua.gate", "ua.exec":
		return name, "it names a program"
	case "ua.try":
		return name, "the gate allows more in a try"
	}
	return "", ""
}

// aboutModels returns why a project may not have the table, "" for one that it may.
func aboutModels(table string) string {
	switch table {
	case "think", "provider", "alias", "price":
		return "which model is asked, and what with, is the user's choice"
	case "try":
		return "how long tries are kept is the user's choice"
	}
	return ""
}
