// Ua-race has several runs do one task, each in a try of its own, and applies the first one that
// is proved: ua-race [-n N] --until CMD [options of ua] "task" (ua-race(1)).
package main

import (
	"slices"
	"strings"

	"ua/internal/common/prog"
)

func main() { prog.Main("ua-race", start) }

// help is the text of --help.
const help = `usage: ua-race [-n N] --until CMD [option of ua ...] "task"

Do the task in several runs at once, each in a try of its own. The first whose
checks pass is applied; the others are stopped, and their tries dropped.

  -n N                  start N runs (3)
  --until CMD           what proves a run; may be repeated
  --budget-tokens N     end all runs when together they have used N tokens
  --budget-usd X        end all runs when together they have used X dollars
  --help                print this help and exit
  --version             print the version and exit`

// defaultRuns and mostRuns are how many runs there are without -n, and at most.
const (
	defaultRuns = 3
	mostRuns    = 16
)

// refused are the options of ua that would have each run of a race do what only one may.
var refused = []string{"try", "atomic", "no-try", "bg", "ask", "o", "output", "json", "c",
	"continue", "via"}

// start starts the race.
func start(env *prog.Env) error {
	r := &race{env: env, runs: defaultRuns, ended: make(chan *racer), lines: make(chan line)}
	if err := r.parse(); err != nil {
		return err
	}
	return r.run()
}

// parse takes the options of ua-race out of the command line. The budgets are for each run,
// too: none may pass them alone.
func (r *race) parse() error {
	fs, args := prog.Flags(), r.env.Args
	prog.Number(fs, &r.runs, "n", defaultRuns, 1, mostRuns)
	prog.Number(fs, &r.tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &r.usd, "budget-usd", 0)
	prog.List(fs, new([]string), "until") // for each run
	for len(args) > 0 && args[0] != "--" {
		name, _, glued := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		own, words := fs.Lookup(name) != nil, args[:1]
		if own && !glued && len(args) > 1 {
			words = args[:2]
		}
		if option := args[0][:min(1, len(args[0]))] == "-"; option && slices.Contains(refused, name) {
			return prog.Errorf(prog.Trouble, "%s: a race has no such option", args[0])
		} else if own = option && own; own || option && (name == "help" || name == "version") {
			if err := r.env.Parse(fs, words, help); err != nil {
				return err
			}
		}
		if name != "n" || !own {
			r.args = append(r.args, words...)
		}
		args = args[len(words):]
	}
	if r.args = append(r.args, args...); len(r.args) == 0 {
		return prog.Errorf(prog.Trouble, "no task").
			Hintf(`ua-race -n 3 --until 'make test' "mend the failing test"`)
	}
	return nil
}
