package main

import (
	"strconv"

	"ua/cmd/ua-journal/internal/request"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// callsVerb lists the API calls of a run, or prints the exact body of one request. Each
// body is made again from the conversation and compared with the hash that its response
// names.
func callsVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var budget int
	prog.Number(fs, &budget, "budget", journal.DefaultBudget, 0, 0)
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	only, rest := 0, fs.Args()
	// A number in front of the run chooses one call.
	if len(rest) > 0 {
		if n, err := strconv.Atoi(rest[0]); err == nil && n > 0 && n < 1e6 {
			only, rest = n, rest[1:]
		}
	}
	name, err := operand(rest)
	if err != nil {
		return err
	}
	path, err := readable(name)
	if err != nil {
		return err
	}
	found := false
	ok, err := request.Bodies(path, budget, only, warn(env, path),
		func(a *request.Call, _ string, body []byte, ok bool) error {
			found = true
			if only > 0 {
				_, err := env.Out().Write(body)
				return err
			}
			_, err := env.Out().Write(append(callLine(a, len(body), ok), '\n'))
			return err
		})
	switch {
	case err != nil:
		return err
	case only > 0 && !found:
		return prog.Errorf(prog.No, "the run has no call %d", only)
	// The bodies are printed all the same.
	case !ok:
		return prog.Errorf(prog.No, "this is not what was sent: the hashes differ").
			Hintf("--budget and the settings of ua-think must be the run's; so must the version")
	}
	return nil
}

// callLine returns a call as a JSON object, without its body.
func callLine(a *request.Call, bytes int, ok bool) []byte {
	return event.New("call").Int("n", int64(a.N)).Str("model", a.Model()).
		Int("bytes", int64(bytes)).
		Str("request_sha256", a.SHA256()).Bool("verified", ok).Str("stop_reason",
		event.Str(a.Response, "stop_reason")).Line()
}
