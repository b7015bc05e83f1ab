package policy

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/verdict"
)

// hookNames are the events that a hook can be for.
var hookNames = [...]string{"pre_exec", "post_exec", "session_start", "session_end",
	"subagent_start", "subagent_stop"}

// A Hook is a program that is asked before a command runs or about its result, or is told
// of the start and the end of sessions and subagents.
type Hook struct {
	Command texts
	Timeout config.Duration
	OnError string `toml:"on_error"` // deny, ask or ignore
	Where   string `toml:"-"`        // "policy.toml:14"
}

// hookTimeout is how long a hook may take if the policy does not say.
const hookTimeout = 10 * time.Second

// Failed returns what is decided if the hook fails; "" to go on without it.
func (h *Hook) Failed() string {
	return strings.TrimPrefix(cmp.Or(h.OnError, string(verdict.Deny)), "ignore")
}

// A Judge is a program that asks a model about a command.
type Judge struct {
	Hook
	From verdict.Level // the lowest level that it sees
	Mode string        // what an objection does: warn, block, or "" for what suits who is there
}

// defaultJudge returns the judge of a policy that says only that there is one.
func defaultJudge() *Judge {
	return &Judge{From: verdict.Destructive,
		Hook: Hook{Command: texts{"ua-think"}, Timeout: config.Duration(time.Minute)}}
}

// A texts is a string or an array of strings.
type texts []string

// UnmarshalTOML reads either form.
func (l *texts) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var texts []string
	for _, x := range list {
		s, ok := x.(string)
		if !ok {
			return errors.New("want a string or an array of strings")
		}
		texts = append(texts, s)
	}
	*l = texts
	return nil
}
