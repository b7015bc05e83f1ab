package main

import (
	"bytes"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/request"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// trajectoriesVerb prints each API call as an object with input, thinking and output.
func trajectoriesVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	all := fs.Bool("all", false, "")
	var budget int
	prog.Number(fs, &budget, "budget", journal.DefaultBudget, 0, 0)
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	whole := true
	for _, path := range paths {
		ok, err := request.Bodies(path, budget, 0, warn(env, path),
			func(a *request.Call, run string, body []byte, ok bool) error {
				_, err := env.Out().Write(append(trajectory(a, run, body, ok), '\n'))
				return err
			})
		// Of several runs, one that cannot be made again is only a warning.
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

// trajectory returns a call as a JSON object for training: the request, and of the
// response thinking and output separately.
func trajectory(a *request.Call, run string, body []byte, verified bool) []byte {
	var thinking, output [][]byte
	gjson.GetBytes(a.Response, "content").ForEach(func(_, b gjson.Result) bool {
		if t := b.Get("type").Str; t == "thinking" || t == "redacted_thinking" {
			thinking = append(thinking, []byte(b.Raw))
		} else {
			output = append(output, []byte(b.Raw))
		}
		return true
	})
	list := func(blocks [][]byte) []byte {
		return append(append([]byte{'['}, bytes.Join(blocks, []byte{','})...), ']')
	}
	input := body
	if !event.ValidJSON(body) { // of a model that is a program
		input = event.AppendString(nil, body)
	}
	e := event.New("trajectory").Str("run", run).Int("call", int64(a.N)).Str("model", a.Model()).
		Str("request_sha256", a.SHA256()).Bool("verified", verified).Str("stop_reason",
		event.Str(a.Response, "stop_reason")).
		Raw("input", input).Raw("thinking", list(thinking)).Raw("output", list(output))
	if u := gjson.GetBytes(a.Response, "usage"); u.IsObject() {
		e.Raw("usage", []byte(u.Raw))
	}
	return e.Line()
}
