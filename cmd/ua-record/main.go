//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

func main() { prog.Main("ua-record", start) }

// start does what there is to do on this side of the sandbox.
func start(env *prog.Env) error {
	if fd := os.Getenv(envSocket); fd != "" {
		return inside(fd, env.Args)
	}
	r := &recording{env: env}
	if err := r.parse(); err != nil {
		return err
	}
	return r.whole()
}

// parse reads the command line.
func (r *recording) parse() error {
	var settings struct {
		UA config.Agent `toml:"ua"`
	}
	if err := config.Load(&settings); err != nil {
		return err
	}
	fs := prog.Flags()
	var tokens, questions int64
	var usd float64
	var model string
	var hosts []string
	prog.Number(fs, &tokens, "budget-tokens", settings.UA.BudgetTokens, 1, 0)
	prog.Amount(fs, &usd, "budget-usd", settings.UA.BudgetUSD)
	prog.Number(fs, &questions, "max-questions", 0, 1, 0)
	prog.List(fs, &hosts, "net-allow")
	for _, name := range []string{"env", "read", "write"} {
		fs.Func(name, "", func(s string) error {
			r.sandbox = append(r.sandbox, "--"+name, s)
			return nil
		})
	}
	fs.StringVar(&r.home, "home", "", "")
	fs.BoolVar(&r.keep, "try", false, "")
	for _, name := range []string{"m", "model"} {
		fs.StringVar(&model, name, "", "")
	}
	if err := r.env.Parse(fs, r.env.Args, help); err != nil {
		return err
	}
	if r.command = fs.Args(); len(r.command) == 0 {
		return prog.Errorf(prog.Trouble, "no command").Hintf(`ua-record -- claude -p "task"`)
	}
	for name, value := range map[string]any{"model": model, "budget-tokens": tokens,
		"budget-usd": usd, "max-questions": questions} {
		if text := fmt.Sprint(value); text != "" && text != "0" {
			r.serve = append(r.serve, "--"+name, text)
		}
	}
	if len(hosts) > 0 {
		r.sandbox = append(prog.Repeat(r.sandbox, "--net-allow", hosts), "--profile", "network")
	}
	return r.ownHome()
}

// ownHome makes the folder of --home. It is not the user's: what lands there with the try
// would be obeyed by all that the user starts.
func (r *recording) ownHome() (err error) {
	if r.home == "" {
		return nil
	}
	if err = os.MkdirAll(r.home, 0o700); err == nil {
		r.home, err = filepath.EvalSymlinks(r.home)
	}
	if err == nil {
		r.home, err = filepath.Abs(r.home)
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "--home: %v", err)
	}
	user, _ := os.UserHomeDir()
	user = safefile.Follow(user)
	if r.home == user || strings.HasPrefix(user, strings.TrimSuffix(r.home, "/")+"/") {
		return prog.Errorf(prog.Trouble, "--home: %s is your own home", r.home).
			Hintf("name a folder for the agent's, such as ~/agents/claude")
	}
	return nil
}
