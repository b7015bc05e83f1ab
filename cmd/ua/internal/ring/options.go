package ring

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/budget"
	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/jobserver"
	"ua/cmd/ua/internal/limits"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/attachment"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/size"
	"ua/internal/common/verdict"
)

// options holds what the command line and the settings say about a run.
type options struct {
	json, quiet, ask, strict bool
	last                     bool // go on with the newest run
	resume, fork             bool // go on with a run, or with a copy of it
	background               bool // go on detached
	slot                     *jobserver.Slot
	leashed                  bool // end when nobody reads stdout any more
	memory, noMemory         bool // read AGENTS.md, or do not: without both a top-level run does
	try                      config.TryMode
	at                       int // the turn before which a fork begins; 0: all is kept

	dir, model       string
	agent            string            // the name of its definition
	def              agents.Definition // of that name
	catalog          agents.Catalog    // all that there are
	isolation        string            // "worktree", "in_process" or "" for that
	system           string            // in place of the usual prompt
	effort, schema   string            // for ua-think
	context          []string          // KEY=VALUE, for the model
	notes            string            // from AGENTS.md files, for the system prompt
	workspace        string            // the folder in which commands run, absolute
	out              string            // gets the answer when all went well; "": stdout
	think, gate, run string            // commands in place of the stages
	via              string            // an engine that runs the whole agent elsewhere
	far              *far              // what it is to run there
	attach           []string
	write, netAllow  []string
	read, sockets    []string
	env              []string           // variables that commands get though they look secret
	path             string             // PATH of commands
	profile          string             // the widest that a command gets in the sandbox
	sandboxProfile   string             // that of the sandbox around all of them
	ceiling          verdict.Level      // the highest level of commands
	resources        settings.Resources // of the sandbox
	most             budget.Limits      // of the run
	tokens           int                // of the conversation that is sent
	timeLimit        time.Duration
	maxDepth         int
	limits           limits.Limits   // of the agents below
	wished           limits.Limits   // those of the settings
	narrowed         []limits.Limits // those of the projects
	depth            int             // how many agents stand above this one
	parent           string          // the folder of the run that this one belongs to, "" for none
	words            []string        // the operands, without "-"
	stdin            bool            // "-" attaches stdin
}

// configure fills in what the command line leaves open: from config.toml, as narrowed by
// the projects around the working folder, and then from the defaults. cmp.Or takes the
// first value that is set, so the order of its arguments is the order of precedence.
func (o *options) configure(env *prog.Env, s *settings.Settings) error {
	warn := func(w string) { env.Warnf("%s", w) }
	if err := s.Narrow(&o.def, len(o.netAllow) > 0, warn, func(string) {}); err != nil {
		return err
	}
	d := &o.def
	o.think = cmp.Or(o.think, s.UA.Think)
	o.gate = cmp.Or(o.gate, s.UA.Gate)
	o.run = cmp.Or(o.run, s.UA.Exec)
	o.try = cmp.Or(o.try, s.UA.Try)
	o.most.Turns = cmp.Or(o.most.Turns, d.MaxIterations, s.UA.MaxTurns)
	o.most.Commands = cmp.Or(o.most.Commands, s.UA.MaxCommands)
	o.most.Calls = s.UA.MaxCalls
	o.tokens = cmp.Or(o.tokens, s.UA.ContextTokens)
	o.wished, o.narrowed = s.Agents, s.Projects()
	o.limits = s.OfAgents()
	o.maxDepth = o.limits.MaxDepth
	o.most.Tokens = cmp.Or(o.most.Tokens, d.BudgetTokens, s.UA.BudgetTokens)
	o.most.USD = cmp.Or(o.most.USD, s.UA.BudgetUSD)
	o.noMemory = o.noMemory || !o.memory && s.UA.Memory != nil && !*s.UA.Memory
	o.timeLimit = cmp.Or(o.timeLimit, d.Timeout, time.Duration(s.UA.TimeLimit))
	o.write = append(o.write, s.Sandbox.Write...)
	if len(o.netAllow) == 0 || s.Sandbox.NetAllow != nil {
		o.netAllow = append(o.netAllow, s.Sandbox.Hosts()...)
	}
	o.read = append(o.read, s.Sandbox.Read...)
	o.sockets = append(o.sockets, s.Sandbox.Socket...)
	o.env = append(o.env, s.Sandbox.Env...)
	for _, paths := range [][]string{o.write, o.read, o.sockets} {
		for i := range paths {
			paths[i] = config.Expand(paths[i]) // ua-exec takes them as they are
		}
	}
	o.strict = o.strict || s.Sandbox.Strict
	o.profile = cmp.Or(o.profile, s.Sandbox.Profile, string(verdict.ProfileNetwork))
	if err := o.resources.Check(); err != nil {
		return prog.Errorf(prog.Trouble, "--%v", err)
	}
	o.resources.Configure(s.Sandbox.Resources)
	if !settings.IsWidest(o.profile) {
		return prog.Errorf(prog.Trouble, "profile %q: want read-only, workspace or network",
			o.profile)
	}
	if o.isolation != "" && o.isolation != "worktree" && o.isolation != "in_process" {
		return prog.Errorf(prog.Trouble, "isolation %q: want worktree or in_process", o.isolation)
	}
	for _, pair := range o.context {
		if key, _, ok := strings.Cut(pair, "="); !ok || key == "" {
			return prog.Errorf(prog.Trouble, "--context %q: want KEY=VALUE", pair)
		}
	}
	return o.confine()
}

// readSystem reads the file of the system prompt. It also makes the other paths absolute
// and checks them, before the working folder changes and before a model is paid.
func (o *options) readSystem() error {
	for _, path := range []*string{&o.schema, &o.out} {
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
	o.workspace, _ = filepath.Abs(o.dir) // enter tells why there is none
	for _, f := range []struct{ option, path string }{{"--output", o.out}, {"--schema", o.schema},
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
	if o.schema != "" {
		if _, err := os.Stat(o.schema); err != nil {
			return prog.Errorf(prog.Trouble, "--schema: %q: %v", o.schema, err.(*os.PathError).Err)
		}
	}
	if o.system == "" {
		return nil
	}
	text, err := regular.ReadNamed(o.system, attachment.Max)
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

// flags returns the flag set of a run's command line, which fills in o.
func (o *options) flags() *flag.FlagSet {
	fs := prog.Flags()
	// Both names of an option set the same variable; the last one on the line wins.
	for _, name := range []string{"a", "attach"} {
		prog.List(fs, &o.attach, name)
	}
	for _, name := range []string{"C", "directory"} {
		fs.StringVar(&o.dir, name, "", "")
	}
	for _, name := range []string{"m", "model"} {
		fs.StringVar(&o.model, name, "", "")
	}
	for _, name := range []string{"q", "quiet"} {
		fs.BoolVar(&o.quiet, name, false, "")
	}
	for _, name := range []string{"c", "continue"} {
		fs.BoolVar(&o.last, name, false, "")
	}
	for _, name := range []string{"o", "output"} {
		fs.StringVar(&o.out, name, "", "")
	}
	fs.StringVar(&o.agent, "agent", "", "")
	prog.Choice(fs, &o.isolation, "isolate", "", "worktree", "in_process")
	fs.StringVar(&o.system, "system", "", "")
	prog.Choice(fs, &o.effort, "effort", "", config.Efforts()...)
	fs.StringVar(&o.schema, "schema", "", "")
	prog.List(fs, &o.context, "context")
	fs.BoolVar(&o.ask, "ask", false, "")
	fs.BoolVar(&o.background, "bg", false, "")
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.memory, "memory", false, "")
	fs.BoolVar(&o.noMemory, "no-memory", false, "")
	fs.BoolVar(&o.strict, "strict", false, "")
	modes := map[string]config.TryMode{"try": config.TryAlways, "atomic": config.TryAtomic}
	for name, mode := range modes {
		fs.BoolFunc(name, "", func(string) error {
			o.try = mode
			return nil
		})
	}
	fs.StringVar(&o.via, "via", "", "")
	fs.StringVar(&o.think, "think", "", "")
	fs.StringVar(&o.gate, "gate", "", "")
	fs.StringVar(&o.run, "exec", "", "")
	prog.Number(fs, &o.most.Tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &o.most.USD, "budget-usd", 0)
	prog.Number(fs, &o.at, "at", 0, 1, 0)
	prog.Number(fs, &o.most.Turns, "max-turns", 0, 1, 0)
	prog.Number(fs, &o.tokens, "context-tokens", 0, 1000, 0)
	prog.Duration(fs, &o.timeLimit, "time-limit", 0, 0)
	prog.List(fs, &o.write, "write")
	prog.List(fs, &o.netAllow, "net-allow")
	prog.List(fs, &o.read, "read")
	prog.List(fs, &o.sockets, "socket")
	prog.List(fs, &o.env, "env")
	fs.StringVar(&o.profile, "profile", "", "")
	prog.Number(fs, &o.resources.Pids, "pids", 0, settings.LeastPids, prog.MaxPids)
	fs.TextVar(&o.resources.Mem, "mem", size.Bytes(0), "")
	fs.TextVar(&o.resources.Fsize, "fsize", size.Bytes(0), "")
	prog.Number(fs, &o.most.Commands, "max-commands", 0, 1, 0)
	return fs
}

// parse reads the command line. Options may stand after the task as well, and before the
// verbs resume and fork, so the flag set parses the rest again after every operand.
func parse(env *prog.Env, help string) (*options, error) {
	o := &options{}
	fs, args := o.flags(), env.Args
	for len(args) > 0 {
		if err := env.Parse(fs, args, help); err != nil {
			return nil, err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			break
		}
		// The flag set has consumed --, so all that follows is the task.
		if used := len(args) - len(rest); used > 0 && args[used-1] == "--" {
			o.words = append(o.words, rest...)
			break
		}
		switch {
		case rest[0] == "-":
			o.stdin = true
		case (rest[0] == "resume" || rest[0] == "fork") && len(o.words) == 0 && !o.resume:
			o.resume, o.fork = true, rest[0] == "fork"
		default:
			o.words = append(o.words, rest[0])
		}
		args = rest[1:]
	}
	if o.last && !o.resume {
		o.resume, o.words = true, append([]string{run.Last}, o.words...)
	}
	return o, nil
}

// place finds out which agents are above this one.
func (o *options) place() {
	above := ancestry.Here()
	o.depth, o.parent = above.Depth, above.Dir
}

// folder returns where the folder of a new run belongs.
func (o *options) folder() string { return ancestry.Ancestry{Dir: o.parent}.Folder() }

// depthAllowed refuses an agent that would be too deep, in a line for its parent's model.
func depthAllowed(env *prog.Env, o *options) error {
	if n := o.depth; n >= o.maxDepth {
		fmt.Fprintf(env.Stderr, "[ua:depth-limit depth=%d max=%d]\n", n, o.maxDepth)
		return prog.Exit(prog.No)
	}
	return nil
}

// display returns what of the run is shown.
func (o *options) display() display.Options {
	return display.Options{JSON: o.json, Quiet: o.quiet, ToFile: o.out != "",
		Depth: o.depth}
}

// A far is a run whose agent works on another machine or in a job of another engine. The
// run here is created before the engine starts and receives the agent's events through
// the engine's output. It ends with the agent's summary. When the engine ends without
// one, the run here says so: no result and no failure goes uncounted.
type far struct {
	args    []string // of ua there
	input   []byte   // its standard input
	began   bool     // its run has
	answer  []byte   // its last response, if that calls for no command
	summary []byte   // its last event
}
