package agentloop

import (
	"flag"
	"os"
	"time"

	"ua/cmd/ua/internal/agentlimits"
	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/runlimits"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// terms are what a run is started with and keeps for its life: where it works, what it may
// do, who judges it, and what it may use. They stand in its run event (ua-events(5)), from
// where a resumed run takes them. A member has the name of its option, with _ for -.
type terms struct {
	Ask           bool            `json:"ask,omitempty"`
	AskTimeout    config.Duration `json:"ask_timeout,omitempty"`
	Strict        bool            `json:"strict,omitempty"`
	Try           config.TryMode  `json:"try,omitempty"`
	Dir           string          `json:"directory,omitempty"`
	Model         string          `json:"model,omitempty"`
	Agent         string          `json:"agent,omitempty"`   // the name of its definition
	Isolation     string          `json:"isolate,omitempty"` // worktree, in_process or ""
	Effort        string          `json:"effort,omitempty"`
	Schema        string          `json:"schema,omitempty"` // the path of its file
	Think         string          `json:"think,omitempty"`  // commands in place of the stages
	Gate          string          `json:"gate,omitempty"`
	Exec          string          `json:"exec,omitempty"`
	Profile       string          `json:"profile,omitempty"` // the widest of commands in the sandbox
	Write         []string        `json:"write,omitempty"`
	NetAllow      []string        `json:"net_allow,omitempty"`
	Read          []string        `json:"read,omitempty"`
	Sockets       []string        `json:"socket,omitempty"`
	Env           []string        `json:"env,omitempty"`    // of commands, though it looks secret
	Until         []string        `json:"until,omitempty"`  // commands that prove it done
	Sealed        []string        `json:"sealed,omitempty"` // what these see as it was
	Tries         int             `json:"tries,omitempty"`  // rounds of them
	Stay          bool            `json:"stay,omitempty"`   // wait for jobs after an answer
	ContextTokens int             `json:"context_tokens,omitempty"`
	TimeLimit     config.Duration `json:"time_limit,omitempty"`
	runlimits.Limits
	settings.Resources // of the sandbox
}

// options holds what the command line and the settings say about a run.
type options struct {
	terms
	json, quiet      bool
	last             bool    // go on with the newest run of this folder
	resume, fork     bool    // go on with a run, or with a copy of it
	earlierRun       run.Run // which that is
	tree             string  // its git work tree, "" for none
	sameDir          bool    // its folder is the one that its journal names
	background       bool    // go on detached
	noStay           bool    // and do not wait for jobs
	leashed          bool    // end when nobody reads stdout any more
	memory, noMemory bool    // read AGENTS.md, or do not: without both a top-level run does
	at               int     // the turn before which a fork begins; 0: all is kept

	def            agents.Definition // of the agent
	catalog        agents.Catalog    // all that there are
	servers        config.Servers    // MCP servers that commands may ask
	models         []string          // that commands may ask besides its own
	system         string            // in place of the usual prompt
	context        []string          // KEY=VALUE, for the model
	notes          string            // from AGENTS.md files, for the system prompt
	workspace      string            // the folder in which commands run, absolute
	notifyLine     string            // a command for each question
	out            string            // gets the answer when all went well; "": stdout
	via            string            // an engine that runs the whole agent elsewhere
	far            *far              // what it is to run there
	attach         []string
	path           string        // PATH of commands
	sandboxProfile string        // that of the sandbox around all of them
	ceiling        verdict.Level // the highest level of commands
	closedBy       string        // why it is not higher, for who reads a denial
	maxDepth       int
	limits         agentlimits.Limits   // of the agents below
	wished         agentlimits.Limits   // those of the settings
	narrowed       []agentlimits.Limits // those of the projects
	depth          int                  // how many agents stand above this one
	parent         string               // the folder of the run that this one belongs to, "" for none
	words          []string             // the operands, without "-"
	stdin          bool                 // "-" attaches stdin
}

// flags returns the flag set of a run's command line, which fills in o.
func (o *options) flags() *flag.FlagSet {
	fs := prog.Flags()
	prog.List(fs, &o.attach, "attach")
	fs.StringVar(&o.Dir, "directory", "", "")
	fs.StringVar(&o.Model, "model", "", "")
	fs.BoolVar(&o.quiet, "quiet", false, "")
	fs.BoolVar(&o.last, "continue", false, "")
	fs.StringVar(&o.out, "output", "", "")
	prog.Short(fs, "a", "attach", "C", "directory", "m", "model", "q", "quiet", "c", "continue",
		"o", "output")
	fs.StringVar(&o.Agent, "agent", "", "")
	prog.Choice(fs, &o.Isolation, "isolate", "", "worktree", "in_process")
	fs.StringVar(&o.system, "system", "", "")
	prog.Choice(fs, &o.Effort, "effort", "", config.Efforts()...)
	fs.StringVar(&o.Schema, "schema", "", "")
	prog.List(fs, &o.context, "context")
	fs.BoolVar(&o.Ask, "ask", false, "")
	prog.Duration(fs, (*time.Duration)(&o.AskTimeout), "ask-timeout", 0, 0)
	for name, to := range map[string]*bool{"no-ask": &o.Ask, "no-strict": &o.Strict} {
		fs.BoolFunc(name, "", func(string) error {
			*to = false
			return nil
		})
	}
	fs.BoolVar(&o.background, "bg", false, "")
	fs.BoolVar(&o.Stay, "stay", o.Stay, "")
	fs.BoolFunc("no-stay", "", func(string) error {
		o.Stay, o.noStay = false, true
		return nil
	})
	fs.BoolVar(&o.json, "json", false, "")
	fs.BoolVar(&o.memory, "memory", false, "")
	fs.BoolVar(&o.noMemory, "no-memory", false, "")
	fs.BoolVar(&o.Strict, "strict", false, "")
	modes := map[string]config.TryMode{"try": config.TryAlways, "atomic": config.TryAtomic,
		"no-try": config.TryNever}
	for name, mode := range modes {
		fs.BoolFunc(name, "", func(string) error {
			o.Try = mode
			return nil
		})
	}
	fs.StringVar(&o.via, "via", "", "")
	fs.StringVar(&o.Think, "think", "", "")
	fs.StringVar(&o.Gate, "gate", "", "")
	fs.StringVar(&o.Exec, "exec", "", "")
	prog.Number(fs, &o.Limits.Tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &o.Limits.USD, "budget-usd", 0)
	prog.Number(fs, &o.at, "at", 0, 1, 0)
	prog.Number(fs, &o.Limits.Turns, "max-turns", 0, 1, 0)
	prog.Number(fs, &o.ContextTokens, "context-tokens", 0, 1000, 0)
	prog.Duration(fs, (*time.Duration)(&o.TimeLimit), "time-limit", 0, 0)
	prog.List(fs, &o.Until, "until")
	prog.List(fs, &o.Sealed, "sealed")
	prog.Number(fs, &o.Tries, "tries", 0, 1, 0)
	prog.List(fs, &o.Write, "write")
	prog.List(fs, &o.NetAllow, "net-allow")
	prog.List(fs, &o.Read, "read")
	prog.List(fs, &o.Sockets, "socket")
	prog.List(fs, &o.Env, "env")
	fs.StringVar(&o.Profile, "profile", "", "")
	prog.Number(fs, &o.Resources.Pids, "pids", 0, settings.LeastPids, prog.MaxPids)
	fs.TextVar(&o.Resources.Mem, "mem", prog.Bytes(0), "")
	fs.TextVar(&o.Resources.Fsize, "fsize", prog.Bytes(0), "")
	prog.Number(fs, &o.Limits.Commands, "max-commands", 0, 1, 0)
	return fs
}

// parse reads the command line. Options may stand after the task as well, and before the
// verbs resume and fork, so the flag set parses the rest again after every operand. They
// change base, the terms of a run that goes on, nil for a new one.
func parse(env *prog.Env, help string, base *terms) (*options, error) {
	o := &options{}
	fs, args := o.flags(), env.Args
	if base != nil {
		o.terms = *base
	}
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

// tries reports whether the run has a try of its own. A run inside a try shares that
// one's view and changes it.
func (o *options) tries() bool { return o.Try != config.TryNever && os.Getenv(run.EnvTry) == "" }

// seals reports whether the checks of this process see sealed paths (--sealed).
func (o *options) seals() bool { return len(o.Sealed) > 0 && o.via == "" }

// display returns what of the run is shown.
func (o *options) display() display.Options {
	return display.Options{JSON: o.json, Quiet: o.quiet, ToFile: o.out != "",
		Depth: o.depth, Agent: o.Agent, Ask: o.Ask}
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
