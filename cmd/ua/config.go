package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ua/cmd/ua/internal/template"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
)

// settingsMax is the longest file of settings, in bytes.
const settingsMax = 16 << 20

// configVerb prints which settings hold and where each comes from; with init it
// writes a file of settings in which everything is a comment.
func configVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	switch {
	case fs.NArg() == 0:
		return showConfig(env)
	case fs.NArg() == 1 && fs.Arg(0) == "init":
		return initConfig(env)
	}
	return asTask("config", fs.Args(), prog.Errorf(prog.Trouble,
		"%q: config takes no operand but init", fs.Arg(0)))
}

func showConfig(env *prog.Env) error {
	path := config.Path()
	text, err := regular.Read(path, settingsMax)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	if _, err := loadSettings(); err != nil {
		return err
	}
	list, err := template.Merge(text, path)
	if err != nil {
		return config.Bad(path, err)
	}
	return template.Print(bufio.NewWriter(env.Out()), template.WithEnv(list, os.LookupEnv))
}

// initConfig writes the file of settings where none is, whole or not at all.
func initConfig(env *prog.Env) error {
	path := config.Path()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return prog.Errorf(prog.No, "%s is there already", path).Hintf("ua config shows what it sets")
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	_, err = f.WriteString(template.Text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	env.Printf("%s\n", path)
	return nil
}
