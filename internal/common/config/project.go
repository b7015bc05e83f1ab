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
	"ua/internal/common/safefile"
)

// projectFile is the path of a project's settings below its folder.
const projectFile = ".ua/config.toml"

// Projects returns the settings files of the projects around the working folder, the
// outermost first: that of the folder itself and those of all folders above. All of them
// count, so that no folder can free itself of one above it. The user's own file is not
// among them.
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
// program reads. A command may have written them, so they may only narrow: warn is called
// for each key that cannot, and the caller has to ignore those. Anything else that is
// wrong is an error, as in the user's file.
func LoadProject(path string, into any, warn func(string)) error {
	text, err := safefile.Read(path, projectMax)
	if err != nil {
		return OfProject(unread(path, err))
	}
	md, err := decode(path, string(text), into)
	if err != nil {
		return OfProject(err)
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

// OfProject adds to an error about a project's file how its user goes on: no run begins
// there until the file is right or gone, and a command may have made it.
func OfProject(err error) error {
	var e *prog.Error
	if !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Hint = strings.TrimPrefix(e.Hint+"; or remove the file, if a command left it there", "; or ")
	return &told
}

// widens returns the name of a key, or of its table, and why no project may set it. why
// is "" for a key that a project may set. Tables of programs that are not ours are not
// looked at.
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

// aboutModels returns why a project may not have the table, "" if it may.
func aboutModels(table string) string {
	switch table {
	case "think", "provider", "alias", "price":
		return "which model is asked, and what with, is the user's choice"
	case "try":
		return "how long tries are kept is the user's choice"
	}
	return ""
}
