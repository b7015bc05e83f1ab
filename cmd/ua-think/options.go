package main

import (
	"os"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/schema"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/config"
	"ua/internal/common/media"
	"ua/internal/common/prog"
)

// help is the text of --help.
const help = `
usage: ua-think [options] [--] [question ...] [-]
       ua-think models [--json] [provider ...]
       ua-think keys [--all] [--json]
       ua-think keys set|rm provider
       ua-think serve --socket PATH | --socket-fd N | --listen HOST:PORT [options]

  --all                    keys: list providers without a key, too
  --attach FILE            give the model a file: image, PDF, WAV or text
  --budget-tokens N        refuse a request that would use more than N tokens in all
  --budget-usd X           refuse a request that would cost more than X dollars in all
  --connect-timeout TIME   give up on connecting after this time (10s)
  --context-tokens N       leave out the oldest images, then the middles of long
                           texts, until a request takes about N tokens
  --dry-run                print the request, send nothing
  --effort LEVEL           set how hard to think: low, medium, high ...
  --events                 read stdin as events, whatever it looks like
  --fallback MODEL         ask this model when the one before can't be reached
  --first-timeout TIME     wait this long for the answer to begin (60s, local 5m)
  --idle-timeout TIME      wait this long when the answer pauses (60s)
  --json                   models, keys: print a JSON object a line
  --max-event BYTES        refuse longer events and longer input (16 MiB)
  --max-text BYTES         refuse a longer text in an answer (10 MiB)
  --max-tokens N           limit the answer to N tokens
  --max-wait TIME          wait at most this long when a provider asks us to (60s)
  -m, --model MODEL        ask PROVIDER/NAME, exec:CMD, replay:FILE or an alias
  --no-tools               declare no tools and send no default prompt
  --quiet                  do not report retries and unknown prices
  --retries N              try again up to N times (4)
  --schema FILE            ask for an answer that fits this JSON Schema, and check it
  --system TEXT            use this system prompt in place of the default one
  --text                   write only the answer's text; declare no tools
  --thinking TOKENS        let the model use this many tokens to think; 0: none
  --timeout TIME           wait this long for the complete answer (10m)
  --help                   print this help
  --version                print the version

serve:
  --allow PATTERN          let clients ask these models as well
  --any-model              answer requests for other models by that of --model
  --budget-tokens N        bound the tokens that all clients use together
  --budget-usd X           bound the dollars that all clients cost together
  --effort LEVEL           let clients ask for this effort at most
  --events                 answer conversations alone, no HTTP
  --listen HOST:PORT       serve on an address of this machine
  --lives DIR              take tokens of commands that have a file there
  --max-depth N            refuse agents nested deeper than N (3)
  --max-questions N        answer at most N questions in all
  --max-requests N         answer at most N requests at a time (64)
  -m, --model MODEL        tell clients to ask for this model
  --socket PATH            serve on a Unix socket
  --socket-fd N            serve on descriptor N, an open socket
  --tls-cert FILE          serve by TLS, on any address of --listen, with this certificate
  --tls-key FILE           the private key of --tls-cert
  --spent-fd N             read what others spend of the budget from descriptor N
  --token-fd N             read the key that clients must send from descriptor N
`

// options holds what the command line and the settings ask for.
type options struct {
	session  session.Options
	time     transport.Limits
	model    string
	fallback []string

	text   bool
	events bool
	stdin  bool // "-" was among the arguments
	task   []string
	attach [][]byte
}

// parse reads the command line over the defaults.
func parse(env *prog.Env, cfg *settings.Settings) (*options, error) {
	o := defaults(cfg)
	fs := prog.Flags()
	var files, fallback []string
	var schemaFile string
	prog.List(fs, &files, "attach")
	prog.Number(fs, &o.session.BudgetTokens, "budget-tokens", o.session.BudgetTokens, 1, 0)
	prog.Amount(fs, &o.session.BudgetUSD, "budget-usd", o.session.BudgetUSD)
	prog.Duration(fs, &o.time.Connect, "connect-timeout", o.time.Connect, 0)
	prog.Number(fs, &o.session.ContextTokens, "context-tokens", o.session.ContextTokens, 1, 0)
	fs.BoolVar(&o.session.DryRun, "dry-run", false, "")
	prog.Choice(fs, &o.session.Effort, "effort", o.session.Effort, config.Efforts()...)
	fs.BoolVar(&o.events, "events", false, "")
	prog.List(fs, &fallback, "fallback")
	prog.Duration(fs, &o.time.First, "first-timeout", o.time.First, 0)
	prog.Duration(fs, &o.time.Idle, "idle-timeout", o.time.Idle, 0)
	prog.Number(fs, &o.session.Answer.Event, "max-event", o.session.Answer.Event, 1, 0)
	prog.Number(fs, &o.session.Answer.Text, "max-text", o.session.Answer.Text, 1, 0)
	prog.Number(fs, &o.session.MaxTokens, "max-tokens", o.session.MaxTokens, 1, 0)
	prog.Duration(fs, &o.session.MaxWait, "max-wait", o.session.MaxWait, prog.OrZero)
	for _, name := range []string{"m", "model"} {
		fs.StringVar(&o.model, name, "", "")
	}
	fs.BoolVar(&o.session.NoTools, "no-tools", false, "")
	fs.BoolVar(&o.session.Quiet, "quiet", false, "")
	prog.Number(fs, &o.session.Retries, "retries", o.session.Retries, 0, 0)
	fs.StringVar(&schemaFile, "schema", "", "")
	fs.StringVar(&o.session.System, "system", "", "")
	fs.BoolVar(&o.text, "text", false, "")
	prog.Number(fs, &o.session.Thinking, "thinking", o.session.Thinking, 0, 0)
	prog.Duration(fs, &o.time.Total, "timeout", o.time.Total, 0)
	if err := env.Parse(fs, env.Args, help); err != nil {
		return nil, err
	}
	if len(fallback) > 0 {
		o.fallback = fallback
	}
	o.session.NoTools = o.session.NoTools || o.text
	o.operands(fs.Args())
	return o, o.load(files, schemaFile)
}

// operands takes the question, and whether "-" stands at its end.
func (o *options) operands(args []string) {
	if n := len(args); n > 0 && args[n-1] == "-" {
		o.stdin, args = true, args[:n-1]
	}
	o.task = args
}

// load reads the files that the options name, but none to which a link leads that a command
// may have left here.
func (o *options) load(files []string, schemaFile string) error {
	check := func(option, path string) error {
		cwd, _ := os.Getwd()
		return config.CheckLinks(option, path, cwd)
	}
	for _, path := range files {
		if err := check("--attach", path); err != nil {
			return err
		}
		a, err := media.Attach(path)
		if err != nil {
			return err
		}
		o.attach = append(o.attach, a)
	}
	if schemaFile == "" {
		return nil
	}
	err := check("--schema", schemaFile)
	if err != nil {
		return err
	}
	o.session.Schema, err = schema.Load(schemaFile)
	return err
}

// The defaults of the verb serve.
const (
	defaultMaxRequests = 64
	defaultMaxDepth    = 3
)

// quiet is how long a person waits for an answer to begin before a line says so.
const quiet = 10 * time.Second

// defaults returns the options of a command line without flags: those of the settings.
func defaults(cfg *settings.Settings) *options {
	t := &cfg.Think
	return &options{
		fallback: t.Fallback,
		session: session.Options{
			Effort: string(t.Effort), Thinking: t.Thinking, MaxTokens: t.MaxTokens,
			ContextTokens: t.ContextTokens, BudgetTokens: t.BudgetTokens, BudgetUSD: t.BudgetUSD,
			Retries: t.Retries, MaxWait: time.Duration(t.MaxWait),
			Answer: answer.Limits{Event: t.MaxEvent, Text: t.MaxText},
		},
		time: transport.Limits{
			Connect: time.Duration(t.Connect), First: time.Duration(t.First),
			Idle: time.Duration(t.Idle), Total: time.Duration(t.Total), Quiet: quiet,
		},
	}
}
