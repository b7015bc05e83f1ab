// Ua-gate judges each command that a model proposes. It writes a verdict after each
// tool_call that passes through it (ua-gate(1)).
//
// The filter (filter.go) decides on one call at a time. A call passes a cascade
// (decide.go) of deny rules, pre_exec hooks, ask and allow rules, levels, session grants,
// the judge (judge.go) and the person (package person). Package classify says what the
// command does, and so its level; package policy what the policies of the user and of
// projects decide. Verbs and the hooks of other agents (agenthook.go) use the same cascade.
package main

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"ua/cmd/ua-gate/internal/person"
	"ua/internal/common/prog"
)

func main() { prog.Main("ua-gate", run) }

// run runs the verb, or the filter if there is none.
func run(env *prog.Env) error {
	verb, args := "", env.Args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	o, operands, err := parseOptions(env, args)
	if err != nil {
		return err
	}
	// Without a verb it is a filter in the ring.
	if verb == "" {
		if len(operands) > 0 {
			return prog.Errorf(prog.Trouble, "unexpected operand %q",
				operands[0]).Hintf("a verb comes before the options")
		}
		return runFilter(env, o)
	}
	if do := verbs()[verb]; do != nil {
		return do(env, o, operands)
	}
	names := slices.Sorted(maps.Keys(verbs()))
	e := prog.Errorf(prog.Trouble, "unknown verb %q", verb)
	if near := prog.Nearest(verb, names); near != "" {
		return e.Hintf("did you mean %s?", near)
	}
	return e.Hintf("one of %s", strings.Join(names, ", "))
}

// verbs returns the function of each verb.
func verbs() map[string]func(*prog.Env, options, []string) error {
	return map[string]func(*prog.Env, options, []string) error{
		"check":   check,
		"explain": explain,
		"hook":    agentHook,
		"replay":  replay,
		"test":    testPolicy,
		"watch":   watch,
	}
}

// runFilter runs the program as a stage of the pipeline.
func runFilter(env *prog.Env, o options) error {
	g, err := newGate(env, o)
	if err != nil {
		return err
	}
	if g.keys, err = judgeKeys(g.user.Judge, o.keysFD); err != nil {
		return err
	}
	g.confines = sync.OnceValue(confines)
	if o.ask {
		if g.person, err = person.At(o.answers, o.journal, o.askTimeout); err != nil {
			return err
		}
	}
	return g.filter(env.Stdin, env.Out())
}
