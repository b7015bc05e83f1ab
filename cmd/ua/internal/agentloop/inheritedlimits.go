package agentloop

import (
	"fmt"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua/internal/agentlimits"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// inherit takes the limits of a subagent from its parent's run. A larger wish is reduced
// to the limit, with a warning.
func (o *options) inherit(env *prog.Env) {
	if o.parent == "" {
		return
	}
	if !term.IsTerminal(int(env.Stderr.Fd())) {
		o.quiet = true // what a parent's model reads is the answer
	}
	outer, off := agentlimits.Of(o.parent), o.limits.Off()
	o.limits = o.wished.Over(outer).Within(outer).Narrow(o.narrowed)
	if off {
		o.limits.Enabled = new(bool)
	}
	usual := o.limits.Time
	if o.background {
		usual = o.limits.TimeBG
	}
	o.TimeLimit = clampLimit(env, "time-limit", o.TimeLimit, usual, o.limits.TimeMax)
	o.Limits.Tokens = clampLimit(env, "budget-tokens", o.Limits.Tokens, o.limits.Tokens,
		o.limits.TokensMax)
	o.maxDepth = o.limits.MaxDepth
	if outer.Off() {
		o.maxDepth = 0
	}
}

// clampLimit returns the wish, usual if there is none, and never more than most.
func clampLimit[T int64 | config.Duration](env *prog.Env, name string, wish, usual, most T) T {
	switch {
	case wish == 0:
		return usual
	case wish > most:
		env.Warnf("--%s %s is more than a subagent may have: it gets %s", name, limitText(wish),
			limitText(most))
		return most
	}
	return wish
}

// limitText returns a limit as a person writes it.
func limitText[T int64 | config.Duration](v T) string {
	if d, ok := any(v).(config.Duration); ok {
		return time.Duration(d).String()
	}
	return fmt.Sprint(v)
}
