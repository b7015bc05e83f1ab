package agentloop

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/confine"
	"ua/internal/common/media"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/verdict"
)

// configure fills in what the command line leaves open: from config.toml, as narrowed by
// the projects around the working folder, and then from the defaults. cmp.Or takes the
// first value that is set, so the order of its arguments is the order of precedence.
func (o *options) configure(env *prog.Env, s *settings.Settings) error {
	warn := func(w string) { env.Warnf("%s", w) }
	if err := s.Narrow(&o.def, len(o.NetAllow) > 0, warn, func(string) {}); err != nil {
		return err
	}
	d := &o.def
	o.Think = cmp.Or(o.Think, s.UA.Think)
	o.Gate = cmp.Or(o.Gate, s.UA.Gate)
	o.Exec = cmp.Or(o.Exec, s.UA.Exec)
	if err := o.chooseTry(s.UA.Try); err != nil {
		return err
	}
	o.models = o.mayAsk(s)
	o.Limits.Turns = cmp.Or(o.Limits.Turns, d.MaxIterations, s.UA.MaxTurns)
	o.Limits.Commands = cmp.Or(o.Limits.Commands, s.UA.MaxCommands)
	o.Limits.Calls = s.UA.MaxCalls
	o.withChecks(s.UA.Checks)
	o.Stay = o.Stay || o.background && !o.noStay && len(o.Until) == 0
	o.notifyLine = s.UA.Notify
	o.ContextTokens = cmp.Or(o.ContextTokens, s.UA.ContextTokens)
	o.wished, o.narrowed = s.Agents, s.Projects()
	o.limits = s.OfAgents()
	o.maxDepth = o.limits.MaxDepth
	o.Limits.Tokens = cmp.Or(o.Limits.Tokens, d.BudgetTokens, s.UA.BudgetTokens)
	o.Limits.USD = cmp.Or(o.Limits.USD, s.UA.BudgetUSD)
	o.noMemory = o.noMemory || !o.memory && s.UA.Memory != nil && !*s.UA.Memory
	o.TimeLimit = cmp.Or(o.TimeLimit, config.Duration(d.Timeout), s.UA.TimeLimit)
	if !o.resume { // it has them
		o.Write = append(o.Write, s.Sandbox.Write...)
		if len(o.NetAllow) == 0 || s.Sandbox.NetAllow != nil {
			o.NetAllow = append(o.NetAllow, s.Sandbox.Hosts()...)
		}
		o.Read = append(o.Read, s.Sandbox.Read...)
		o.Sockets = append(o.Sockets, s.Sandbox.Socket...)
		o.Env = append(o.Env, s.Sandbox.Env...)
	}
	for _, paths := range [][]string{o.Write, o.Read, o.Sockets} {
		for i := range paths {
			paths[i] = config.Expand(paths[i]) // ua-exec takes them as they are
		}
	}
	o.Strict = o.Strict || s.Sandbox.Strict
	o.Profile = cmp.Or(o.Profile, s.Sandbox.Profile, string(verdict.ProfileNetwork))
	if err := o.Resources.Check(); err != nil {
		return prog.Errorf(prog.Trouble, "--%v", err)
	}
	o.Resources.Configure(s.Sandbox.Resources)
	if !settings.IsWidest(o.Profile) {
		return prog.Errorf(prog.Trouble, "profile %q: want read-only, workspace or network",
			o.Profile)
	}
	if o.Isolation != "" && o.Isolation != "worktree" && o.Isolation != "in_process" {
		return prog.Errorf(prog.Trouble, "isolation %q: want worktree or in_process", o.Isolation)
	}
	for _, pair := range o.context {
		if key, _, ok := strings.Cut(pair, "="); !ok || key == "" {
			return prog.Errorf(prog.Trouble, "--context %q: want KEY=VALUE", pair)
		}
	}
	if err := o.checkSealed(); err != nil {
		return err
	}
	return o.confine()
}

// chooseTry takes the mode of the settings where no option says one. In a sandbox nothing
// can be mounted, so a command of a run shares the run's try, or has none.
func (o *options) chooseTry(settings config.TryMode) error {
	switch {
	case confine.Inside() == "" || os.Getenv(run.EnvTry) != "":
		o.Try = cmp.Or(o.Try, settings)
	case o.Try != config.TryNever:
		return prog.Errorf(prog.Trouble, "--try, --atomic: can't make a try inside a sandbox").
			Hintf("use it with the run above: its subagents share the try")
	}
	return nil
}

// checkSealed refuses seals that nothing would look at.
func (o *options) checkSealed() error {
	switch {
	case !o.seals():
	case len(o.Until) == 0:
		return prog.Errorf(prog.Trouble, "--sealed: there is no check").
			Hintf("--until COMMAND adds one")
	case o.Exec != "":
		return prog.Errorf(prog.Trouble, "--sealed: with --exec, commands may run elsewhere")
	}
	return nil
}

// withChecks adds a project's or the user's checks to those of the command line, each once.
func (o *options) withChecks(list []string) {
	for _, c := range list {
		if !slices.Contains(o.Until, c) {
			o.Until = append(o.Until, c)
		}
	}
}

// readSystem reads the file of the system prompt. It also makes the other paths absolute
// and checks them, before the working folder changes and before a model is paid.
func (o *options) readSystem() error {
	for _, path := range []*string{&o.Schema, &o.out} {
		if *path == "" {
			continue
		}
		// -C changes the working folder before these files are used.
		abs, err := filepath.Abs(*path)
		if err != nil {
			return prog.Errorf(prog.Trouble, "%q: %v", *path, err)
		}
		*path = abs
	}
	o.workspace, _ = filepath.Abs(o.Dir) // enter tells why there is none
	for _, f := range []struct{ option, path string }{{"--output", o.out}, {"--schema", o.Schema},
		{"--system", o.system}} {
		if f.path == "" {
			continue
		}
		if err := o.notPlanted(f.option, f.path); err != nil {
			return err
		}
	}
	if o.out != "" {
		// A run whose answer cannot be saved must not begin.
		if err := savable(o.out); err != nil {
			return prog.Errorf(prog.Trouble, "--output: %v", err)
		}
	}
	if o.Schema != "" {
		if _, err := os.Stat(o.Schema); err != nil {
			return prog.Errorf(prog.Trouble, "--schema: %q: %v", o.Schema, err.(*os.PathError).Err)
		}
	}
	if o.system == "" {
		return nil
	}
	text, err := safefile.ReadNamed(o.system, media.MaxAttachment)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%q: %v", o.system, err.(*os.PathError).Err)
	}
	if !utf8.Valid(text) {
		return prog.Errorf(prog.Trouble, "%q: not UTF-8 text", o.system)
	}
	if o.system = strings.TrimSpace(string(text)); o.system == "" {
		return prog.Errorf(prog.Trouble, "the system prompt is empty")
	}
	return nil
}

// splitPath keeps PATH for commands, on which they find ua, and takes from that of this
// process and of the stages what a command of this run or of another may write.
func (o *options) splitPath() {
	o.path = os.Getenv("PATH")
	list := filepath.SplitList(o.path)
	if self, err := os.Executable(); err == nil && !slices.Contains(list, filepath.Dir(self)) {
		o.path = strings.Join(append(list, filepath.Dir(self)), string(os.PathListSeparator))
	}
	os.Setenv("PATH", prog.OutsidePath(append(config.Writable(), o.Write...)...))
}
