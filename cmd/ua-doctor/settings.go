package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
	"ua/internal/common/xdg"
)

// settings reads the files in the order in which they count: the user's, then those of
// the projects around the working folder. It checks who may read and write each. What is wrong
// in one ua says, and of a policy ua-gate.
func settings(ctx context.Context) (list []Check) {
	_, said, bad := ask(ctx, "ua", "config")
	files := [][2]string{{"settings", config.Path()}}
	for _, path := range config.Projects() {
		files = append(files, [2]string{"project", path})
	}
	files = append(files, [2]string{"policy", filepath.Join(xdg.Config(), "policy.toml")})
	for _, file := range files {
		name, path := file[0], file[1]
		data, err := read(name == "project", path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == "settings" && os.Getenv(config.EnvFile) != "":
			list = append(list, Check{name, Failed, path + " does not exist",
				"UA_CONFIG names it: create the file, or unset UA_CONFIG"})
			continue
		case errors.Is(err, fs.ErrNotExist):
			list = append(list, Check{name, OK, "none: " + path, ""})
			continue
		case err != nil:
			list = append(list, Check{name, Failed, err.Error(),
				"it must be a regular file that you can read"})
			continue
		}
		c := look(name, path, data)
		if c.State != Failed && name != "policy" && bad != nil && strings.Contains(said, path+":") {
			c = failed(name, said, "ua-config(5) lists what it may set")
		}
		list = append(list, c)
	}
	if _, said, err := ask(ctx, "ua-gate", "explain", "true"); err != nil {
		// What ua-gate says of the policy takes the place of the check above, which read
		// only its TOML.
		list = append(list[:len(list)-1], failed("policy", said,
			"ua-policy(5) describes what it may hold"))
	}
	return list
}

// read returns the text of a file of settings. Links are not followed in a project, where
// a command could have made them.
func read(project bool, path string) ([]byte, error) {
	if project {
		return safefile.Read(path, 16<<20)
	}
	return config.Read(path)
}

// look checks that one file of settings is TOML and that its permissions protect it.
func look(name, path string, data []byte) Check {
	var tables map[string]any
	if _, err := config.Decode(string(data), &tables); err != nil {
		return Check{name, Failed, config.Bad(path, err).Error(),
			"it must be TOML: ua-config(5), ua-policy(5)"}
	}
	set := make([]string, 0, len(tables))
	for table := range tables {
		set = append(set, table)
	}
	c := Check{name, OK, fmt.Sprintf("%s sets %s", path, style.Plural(int64(len(set)), "table")),
		""}
	info, err := os.Stat(path)
	if err != nil {
		return c
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o022 != 0:
		c.State, c.Detail, c.Mend = Warned, path+" can be written by others", "chmod 600 "+path
	case mode&0o044 != 0 && strings.Contains(string(data), "api_key ="):
		c.State, c.Detail, c.Mend = Warned, path+" holds a key that others can read", "chmod 600 "+path
	}
	return c
}
