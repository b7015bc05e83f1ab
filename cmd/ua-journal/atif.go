package main

import (
	"cmp"
	"encoding/json"
	"io"
	"os"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// atifVersion is the one whose fields are used.
const atifVersion = "ATIF-v1.4"

// An object is one of JSON.
type object map[string]any

// exportATIF prints runs as trajectories in the Agent Trajectory Interchange Format of Harbor,
// in which the results of Terminal-Bench and others are kept, a line each.
func exportATIF(env *prog.Env, paths []string) error {
	out := json.NewEncoder(env.Out())
	out.SetEscapeHTML(false)
	return eachJournal(paths, func(j *os.File, size int64) error {
		t, err := atif(j, size, warn(env, j.Name()))
		return cmp.Or(err, out.Encode(t))
	})
}

// atif returns the run in the first size bytes of a journal. A step is what the person or ua
// said, or an answer of the model with its calls and what came of them.
func atif(j io.ReaderAt, size int64, bad func(error)) (any, error) {
	var steps, calls, results []object
	total := map[string]float64{}
	agent, id := object{"name": "ua"}, ""
	add := func(source string, line gjson.Result, message string) object {
		s := object{"step_id": len(steps) + 1, "source": source, "message": message,
			"timestamp": line.Get("ts").Str}
		if steps = append(steps, s); source == "agent" && calls != nil {
			s["tool_calls"], s["observation"] = calls, object{"results": results}
			calls, results = nil, nil
		}
		return s
	}
	var line gjson.Result
	err := journal.Each(j, size, bad, func(raw []byte, _ int64) error {
		line = gjson.Parse(string(raw))
		switch line.Get("type").Str {
		case "run":
			id, agent["version"] = line.Get("id").Str, line.Get("version").Str
		case "system":
			add("system", line, line.Get("text").Str)
		case "instruction", "message":
			add("user", line, line.Get("text").Str)
		case "tool_call":
			calls = append(calls, object{"tool_call_id": line.Get("id").Str,
				"function_name": line.Get("name").Str, "arguments": line.Get("input").Value()})
		case "tool_result":
			results = append(results, object{"source_call_id": line.Get("call_id").Str,
				"content": line.Get("output").Str})
		case "response":
			text, _ := event.ResponseText(raw)
			s, u := add("agent", line, text), line.Get("usage")
			if t := line.Get(`content.#(type=="thinking").thinking`).Str; t != "" {
				s["reasoning_content"] = t
			}
			agent["model_name"], s["model_name"] = line.Get("model").Str, line.Get("model").Str
			read := u.Get("cache_read").Num
			s["metrics"] = map[string]float64{"completion_tokens": u.Get("output").Num,
				"prompt_tokens": u.Get("input").Num + read + u.Get("cache_write").Num,
				"cached_tokens": read, "cost_usd": u.Get("cost_usd").Num}
			for name, n := range s["metrics"].(map[string]float64) {
				total["total_"+name] += n
			}
		}
		return nil
	})
	if calls != nil {
		add("agent", line, "") // it was ended before its answer was whole
	}
	total["total_steps"] = float64(len(steps))
	return object{"schema_version": atifVersion, "session_id": id, "agent": agent, "steps": steps,
		"final_metrics": total}, err
}
