package main

import (
	"flag"
	"time"

	"ua/internal/common/attachment"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

const help = `
usage: ua-think [options] [--] [question ...] [-]
       ua-think models [provider ...]

  --attach FILE            give the model a file: image, PDF, WAV or text
  --budget-tokens N        refuse a request once the conversation took N tokens
  --budget-usd X           refuse a request once the conversation cost X dollars
  --connect-timeout TIME   time limit for a connection (10s)
  --dry-run                print the request, send nothing
  --effort LEVEL           how hard to think: low, medium, high ...
  --events                 take stdin as events, whatever it looks like
  --fallback MODEL         ask this one when the first can't be reached
  --first-timeout TIME     time limit for the answer to begin (60s, local 5m)
  --idle-timeout TIME      time limit for a pause in the answer (60s)
  --max-event BYTES        longest event of a stream and longest input (16 MiB)
  --max-text BYTES         longest text of an answer (10 MiB)
  --max-tokens N           limit of the answer's tokens
  --max-wait TIME          longest wait that a provider may ask for (60s)
  --model MODEL            PROVIDER/NAME, exec:CMD, replay:FILE or an alias
  --no-tools               declare no tools and send no default prompt
  --quiet                  no word on retries and unknown prices
  --retries N              tries after the first (4)
  --schema FILE            ask for an answer of this JSON Schema, and check it
  --system TEXT            the system prompt, in place of the default one
  --text                   write the answer's text alone; declare no tools
  --thinking TOKENS        tokens to think with; 0 for none
  --timeout TIME           time limit for the whole answer (10m)
  --version                print the version
`

// options is what the command line and the config ask for.
type options struct {
	quiet    bool
	model    string
	fallback []string
	system   string
	noTools  bool
	effort   string
	thinking int // -1 when the model decides
	schema   string

	maxTokens    int
	budgetTokens int64
	budgetUSD    float64

	retries int
	maxWait time.Duration
	limits  limits

	dryRun bool
	text   bool
	events bool
	stdin  bool // "-" was among the arguments
	task   []string
	attach [][]byte
}

// defaults is the options without any flag: the built-in ones, then the config.
func defaults(cfg *settings) *options {
	t := &cfg.Think
	o := &options{
		fallback: t.Fallback, effort: t.Effort, thinking: -1, maxTokens: t.MaxTokens,
		budgetTokens: t.BudgetTokens, budgetUSD: t.BudgetUSD, retries: 4,
		maxWait: or(t.MaxWait, time.Minute),
		limits: limits{
			// A call's input of 10 MiB may come as one event.
			event: 16 << 20, text: 10 << 20,
			connect: or(t.Connect, 10*time.Second), first: or(t.First, 0),
			idle: or(t.Idle, time.Minute), total: or(t.Total, 10*time.Minute), quiet: 10 * time.Second,
		},
	}
	if t.Thinking != nil {
		o.thinking = *t.Thinking
	}
	if t.Retries != nil {
		o.retries = *t.Retries
	}
	if t.MaxEvent > 0 {
		o.limits.event = t.MaxEvent
	}
	if t.MaxText > 0 {
		o.limits.text = t.MaxText
	}
	return o
}

func or(d config.Duration, fallback time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return fallback
}

// parse reads the command line over the defaults.
func parse(env *prog.Env, cfg *settings) (*options, error) {
	o := defaults(cfg)
	fs := prog.Flags()
	var files, fallback []string
	var schema string
	fs.Var((*list)(&files), "attach", "")
	fs.Int64Var(&o.budgetTokens, "budget-tokens", o.budgetTokens, "")
	fs.Float64Var(&o.budgetUSD, "budget-usd", o.budgetUSD, "")
	fs.DurationVar(&o.limits.connect, "connect-timeout", o.limits.connect, "")
	fs.BoolVar(&o.dryRun, "dry-run", false, "")
	fs.StringVar(&o.effort, "effort", o.effort, "")
	fs.BoolVar(&o.events, "events", false, "")
	fs.Var((*list)(&fallback), "fallback", "")
	fs.DurationVar(&o.limits.first, "first-timeout", o.limits.first, "")
	fs.DurationVar(&o.limits.idle, "idle-timeout", o.limits.idle, "")
	fs.IntVar(&o.limits.event, "max-event", o.limits.event, "")
	fs.IntVar(&o.limits.text, "max-text", o.limits.text, "")
	fs.IntVar(&o.maxTokens, "max-tokens", o.maxTokens, "")
	fs.DurationVar(&o.maxWait, "max-wait", o.maxWait, "")
	fs.StringVar(&o.model, "model", "", "")
	fs.BoolVar(&o.noTools, "no-tools", false, "")
	fs.BoolVar(&o.quiet, "quiet", false, "")
	fs.IntVar(&o.retries, "retries", o.retries, "")
	fs.StringVar(&schema, "schema", "", "")
	fs.StringVar(&o.system, "system", "", "")
	fs.BoolVar(&o.text, "text", false, "")
	fs.IntVar(&o.thinking, "thinking", o.thinking, "")
	fs.DurationVar(&o.limits.total, "timeout", o.limits.total, "")
	if err := env.Parse(fs, env.Args, help); err != nil {
		return nil, err
	}
	if len(fallback) > 0 {
		o.fallback = fallback
	}
	o.noTools = o.noTools || o.text
	o.operands(fs.Args())
	if err := o.check(fs); err != nil {
		return nil, err
	}
	return o, o.load(files, schema)
}

// operands is the question, and whether "-" stands at its end.
func (o *options) operands(args []string) {
	if n := len(args); n > 0 && args[n-1] == "-" {
		o.stdin, args = true, args[:n-1]
	}
	o.task = args
}

func (o *options) check(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		bad := false
		switch f.Name {
		case "connect-timeout", "first-timeout", "idle-timeout", "timeout", "max-event", "max-text", "max-tokens":
			bad = f.Value.String() == "0" || f.Value.String() == "0s" || f.Value.String()[0] == '-'
		case "retries", "max-wait", "budget-tokens", "budget-usd":
			bad = f.Value.String()[0] == '-'
		}
		if bad {
			err = prog.Errorf(prog.Trouble, "%s: bad value %q: too small", prog.Dashed(f.Name), f.Value.String())
		}
	})
	return err
}

// load reads the files that the options name.
func (o *options) load(files []string, schema string) error {
	for _, path := range files {
		a, err := attachment.Read(path)
		if err != nil {
			return err
		}
		o.attach = append(o.attach, a)
	}
	if schema == "" {
		return nil
	}
	var err error
	o.schema, err = loadSchema(schema)
	return err
}

// A list is an option that can be given more than once.
type list []string

func (l *list) String() string { return "" }

// Set adds one.
func (l *list) Set(v string) error {
	*l = append(*l, v)
	return nil
}
