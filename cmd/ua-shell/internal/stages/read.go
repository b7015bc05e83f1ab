package stages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/secret"
	"ua/internal/common/stage"
	"ua/internal/common/verdict"
)

// A Read is a command that only reads, on its way. It runs in a read-only sandbox beside
// the shell.
type Read struct{ stage *member }

// Read runs the command of a call in a folder, with the variables. ended is called once: with
// the event of its result, or with nil and why it was not run, since no sandbox stands here.
// Below tier 3 files could be changed (ua-sandbox(1), Tiers), so that is none.
func (r *Ring) Read(id, command string, ms int64, dir string, env []string,
	ended func(result []byte, why string)) (*Read, error) {
	hands, err := prog.FindSibling("ua-exec")
	if err != nil {
		return nil, err
	}
	c, err := stage.Builtin("ua-sandbox", "--quiet", "--profile", string(verdict.ProfileReadOnly),
		"--strict", "--root-ok", "--", hands, "--timeout", "30m")
	if err != nil {
		return nil, err
	}
	// Functions that bash has exported are not the command's either.
	env, _ = secret.Environ(env, nil)
	c.Dir, c.Env = dir, slices.DeleteFunc(env, func(v string) bool {
		return strings.HasPrefix(v, "BASH_FUNC_") || strings.HasPrefix(v, "BASH_ENV=") ||
			strings.HasPrefix(v, "ENV=") || strings.HasPrefix(v, "_=")
	})
	why, done := "", false
	s, err := start(c, r.Post, func(line []byte) {
		if event.Type(line) == "tool_result" && !done {
			done = true
			ended(line, "")
		}
	}, func(text string) { why = text }, func(s *member) {
		if !done {
			ended(nil, strings.TrimPrefix(fmt.Sprint(why, " ", s.failure()), " "))
		}
	})
	if err != nil {
		return nil, err
	}
	input, _ := json.Marshal(map[string]any{"command": command, "timeout_ms": ms})
	s.in.Put(event.New("tool_call").Str("id", id).Str("name", "shell").Raw("input", input).Line())
	s.in.Put(event.New("verdict").Str("call_id", id).Str("risk", verdict.ReadOnly.String()).
		Str("decision", string(verdict.Allow)).Str("profile", string(verdict.ProfileReadOnly)).Line())
	s.in.End()
	return &Read{s}, nil
}

// Stop ends the command: it is interrupted.
func (r *Read) Stop() { r.stage.signal(syscall.SIGTERM) }
