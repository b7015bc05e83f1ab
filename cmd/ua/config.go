package main

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/configtemplate"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// configVerb prints the settings that hold and where each one comes from. With the
// operand init it writes a file of settings in which every line is a comment.
func configVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, helpOf("config")); err != nil {
		return err
	}
	switch {
	case fs.NArg() == 0:
		return showConfig(env)
	case fs.NArg() == 1 && fs.Arg(0) == "init":
		return initConfig(env)
	}
	return agentloop.AsTask("config", fs.Args(), prog.Errorf(prog.Trouble,
		"%q: config takes no operand but init", fs.Arg(0)))
}

// showConfig prints each setting with its value and source. It applies the sources in the
// order in which a run does (ua-config(5)), and compares the tables before and after
// each, so that what it says cannot differ from what a run would do.
func showConfig(env *prog.Env) error {
	path := config.Path()
	text, err := config.Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	s, err := settings.Load()
	if err != nil {
		return err
	}
	list, err := configtemplate.Merge(text, path)
	if err != nil {
		return config.Bad(path, err)
	}
	before, warn := tables(s), func(w string) { env.Warnf("%s", w) }
	// Without an agent's definition, and without --net-allow, as for a run with no
	// options.
	err = s.Narrow(&agents.Definition{}, false, warn, func(path string) {
		now := tables(s)
		list = configtemplate.Changed(list, before, now, path)
		before = now
	})
	if err != nil {
		return err
	}
	return configtemplate.Print(bufio.NewWriter(env.Out()),
		configtemplate.WithEnv(list, os.LookupEnv))
}

// tables returns the settings as TOML tables of a file would hold them, with the limits
// of agents that are in force.
func tables(s *settings.Settings) (tables map[string]map[string]any) {
	own := *s
	own.Agents = s.OfAgents()
	own.UA.MaxAgentDepth = own.Agents.MaxDepth
	text, err := toml.Marshal(own)
	if err == nil {
		err = toml.Unmarshal(text, &tables)
	}
	if err != nil {
		panic(err) // the types of settings are ours
	}
	// As a person writes them, not in bytes.
	tables["sandbox"]["mem"] = s.Sandbox.Mem.Short()
	tables["sandbox"]["fsize"] = s.Sandbox.Fsize.Short()
	return tables
}

// initConfig creates the file of settings with mode 0600 and never overwrites one: O_EXCL
// makes the test and the creation one step. A file that could be written only in part is
// removed.
func initConfig(env *prog.Env) error {
	path := config.Path()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return prog.Errorf(prog.No, "%s already exists", path).Hintf("ua config shows what it sets")
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	_, err = f.WriteString(configtemplate.Text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return prog.Errorf(prog.Trouble, "%w", err)
	}
	env.Outf("%s\n", path)
	return nil
}
