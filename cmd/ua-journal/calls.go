package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// callsVerb lists the API calls of a run or prints the exact body of one
// request, and checks each against the hash that the response gives.
func callsVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	budget := fs.Int("budget", 60000, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	only, rest := 0, fs.Args()
	if len(rest) > 0 {
		if n, err := strconv.Atoi(rest[0]); err == nil && n > 0 && n < 1e6 {
			only, rest = n, rest[1:]
		}
	}
	name, err := operand(rest)
	if err != nil {
		return err
	}
	path, err := locate(name)
	if err != nil {
		return err
	}
	found := false
	ok, err := requests(env, path, *budget, only, func(a *ask, _ string, body []byte, ok bool) error {
		found = true
		if only > 0 {
			_, err := env.Out().Write(body)
			return err
		}
		_, err := env.Out().Write(append(a.line(len(body), ok), '\n'))
		return err
	})
	switch {
	case err != nil:
		return err
	case only > 0 && !found:
		return prog.Errorf(prog.No, "the run has no call %d", only)
	case !ok:
		return prog.Errorf(prog.No, "not what was sent: the hash differs").
			Hintf("--budget and the settings of ua-think must be the run's; so must the version")
	}
	return nil
}

// line is the call without its body.
func (a *ask) line(bytes int, ok bool) []byte {
	return event.New("call").Int("n", int64(a.n)).Str("model", a.model()).Int("bytes", int64(bytes)).
		Str("request_sha256", a.sha256()).Bool("verified", ok).Str("stop_reason", event.Str(a.response, "stop_reason")).Line()
}

// trajectoriesVerb prints each API call as an object of input, thinking and
// output.
func trajectoriesVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	all := fs.Bool("all", false, "")
	budget := fs.Int("budget", 60000, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	whole := true
	for _, path := range paths {
		ok, err := requests(env, path, *budget, 0, func(a *ask, run string, body []byte, ok bool) error {
			_, err := env.Out().Write(append(a.trajectory(run, body, ok), '\n'))
			return err
		})
		if err != nil && len(paths) == 1 {
			return err
		} else if err != nil {
			warn(env, path)(err)
		}
		whole = whole && ok
	}
	if !whole {
		return prog.Errorf(prog.No, `not all are what was sent: see "verified"`)
	}
	return nil
}

// requests calls do with the API calls of a run, or only one of them, and their
// bodies. ok says that each has the hash that was recorded.
func requests(env *prog.Env, path string, budget, only int, do func(a *ask, run string, body []byte, ok bool) error) (ok bool, err error) {
	j, size, err := openJournal(path)
	if err != nil {
		return false, err
	}
	defer j.Close()
	var t thinker
	defer t.close()
	run, ok := filepath.Base(filepath.Dir(j.Name())), true
	errDone := errors.New("found")
	err = eachAsk(j, size, warn(env, j.Name()), func(a *ask) error {
		if only > 0 && a.n != only {
			return nil
		}
		body, err := a.body(&t, j, budget)
		if err != nil {
			return fmt.Errorf("call %d: %w", a.n, err)
		}
		same := hashOf(body) == a.sha256()
		ok = ok && same
		if err := do(a, run, body, same); err != nil {
			return err
		}
		if only > 0 {
			return errDone
		}
		return nil
	})
	if err == errDone {
		err = nil
	}
	return ok && err == nil, err
}

// body is the body of the call's request, made anew of the conversation that
// was there.
func (a *ask) body(t *thinker, j *os.File, budget int) ([]byte, error) {
	if a.budget >= 0 {
		budget = a.budget
	}
	lines, err := journal.Conversation(j, a.size, budget, ignore)
	if err != nil {
		return nil, err
	}
	body, err := t.body(a.model(), lines)
	if err == nil || a.sha256() == "" {
		return body, err
	}
	// A recording may name a model that nobody has: ua-think then takes the form
	// of its own replays.
	if played, err2 := t.body("replay:"+j.Name(), lines); err2 == nil && hashOf(played) == a.sha256() {
		return played, nil
	}
	return nil, err
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// replayVerb prints the responses of a run, which ua-think --model replay:FILE
// plays.
func replayVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	j, size, err := openRun(fs.Args())
	if err != nil {
		return err
	}
	defer j.Close()
	w := event.NewWriter(env.Out())
	return eachAsk(j, size, warn(env, j.Name()), func(a *ask) error {
		return w.Write(journal.Bare(a.response))
	})
}
