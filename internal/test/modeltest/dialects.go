package modeltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Dialect is how one server speaks the Chat Completions API, as it is documented and as
// people report it. Where a row lists several words, the server was seen to do each of these.
type Dialect struct {
	Name    string
	index   []string // of calls: own, zero for all, none, or text
	ids     []string // first piece only, every piece, changing, or none
	names   []string // first piece only, every, empty in later pieces, or parts
	inputs  []string // pieces, whole, object, twice encoded, "{}" before it, or again after it
	thinks  []string // the member for thinking, details, tags, or list
	usage   []string // last chunk, with the finish, choice, x_groq, each chunk, or message
	finish  []string // for calls; "" for none at all
	shuffle bool     // pieces of several calls come mixed
	first   string   // an event before all others
	done    bool     // [DONE] ends the stream
}

// Dialects returns the table of servers.
func Dialects() []Dialect {
	return []Dialect{
		{"vLLM", []string{"own"}, []string{"first", "changing"}, []string{"first"},
			[]string{"pieces", "whole"}, []string{"reasoning_content", "reasoning"}, []string{"last"},
			[]string{"tool_calls", "stop"}, true, "", true},
		{"llama.cpp", []string{"own"}, []string{"first", "none"}, []string{"first"},
			[]string{"pieces"}, []string{"reasoning_content", "tags"}, []string{"last"},
			[]string{"tool_calls"}, false, "", true},
		{"LM Studio", []string{"own"}, []string{"first", "every"}, []string{"first", "every"},
			[]string{"pieces", "whole"}, []string{"reasoning_content", "tags"}, []string{"last"},
			[]string{"tool_calls"}, false, "", true},
		{"Ollama", []string{"own", "zero"}, []string{"first"}, []string{"first"},
			[]string{"whole"}, []string{"reasoning"}, []string{"last"},
			[]string{"tool_calls", "stop"}, false, "", true},
		{"OpenRouter", []string{"own"}, []string{"first", "every"}, []string{"first", "empty"},
			[]string{"pieces", "whole", "{}"}, []string{"details", "reasoning"}, []string{"last"},
			[]string{"tool_calls", "stop", ""}, true, ": OPENROUTER PROCESSING\n\n", true},
		{"Groq", []string{"own"}, []string{"first"}, []string{"first"}, []string{"whole"},
			[]string{"reasoning"}, []string{"x_groq"}, []string{"tool_calls"}, false, "", true},
		{"DeepSeek", []string{"own"}, []string{"first"}, []string{"first"}, []string{"pieces"},
			[]string{"reasoning_content"}, []string{"finish"}, []string{"tool_calls"}, false,
			": keep-alive\n\n", true},
		{"Mistral", []string{"own", "none"}, []string{"first"}, []string{"first", "every"},
			[]string{"whole"}, []string{"list", "tags"}, []string{"finish"}, []string{"tool_calls"},
			false, "", true},
		{"Together", []string{"own"}, []string{"first"}, []string{"first", "empty"},
			[]string{"pieces", "whole"}, []string{"reasoning", "tags"}, []string{"last"},
			[]string{"tool_calls", "eos", ""}, false, "", true},
		{"Azure", []string{"own"}, []string{"first"}, []string{"first"}, []string{"pieces"},
			[]string{"reasoning_content"}, []string{"last"}, []string{"tool_calls"}, true,
			`data: {"choices":[],"prompt_filter_results":[{"prompt_index":0}]}` + "\n\n", true},
		{"Gemini", []string{"zero", "none", "own"}, []string{"first"}, []string{"first"},
			[]string{"whole", "object"}, []string{"tags", "reasoning"}, []string{"each"},
			[]string{"stop", "tool_calls", ""}, false, "", true},
		{"Moonshot", []string{"own"}, []string{"first", "every"}, []string{"first", "every"},
			[]string{"pieces", "twice", "again"}, []string{"reasoning_content"}, []string{"choice"},
			[]string{"tool_calls"}, true, "", false},
	}
}

// Stream returns an answer as the server may send it: r chooses among what was seen, and how
// the pieces are cut, mixed and put together. The thinking comes first, then the text, then
// the calls. The usage is that of Stream.
func (d Dialect) Stream(r *rand.Rand, says ...Say) (ev []string) {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	ev = append(ev, ": a comment\n\n"+d.first)
	use := map[string]any{"prompt_tokens": usual.Prompt(), "completion_tokens": usual.Output,
		"prompt_tokens_details": map[string]int{"cached_tokens": usual.Read}}
	where := pick(d.usage)
	chunk := func(delta map[string]any, finish any) map[string]any {
		c := map[string]any{"id": "c", "object": "chat.completion.chunk", "model": "fake"}
		choice := map[string]any{"index": 0, "delta": delta, "finish_reason": finish}
		if c["choices"] = []any{choice}; where == "each" || where == "finish" && finish != nil {
			c["usage"] = use
		}
		if finish != nil && where == "choice" {
			choice["usage"] = use
		}
		if finish != nil && where == "x_groq" {
			c["x_groq"] = map[string]any{"usage": use}
		}
		return c
	}
	add := func(c map[string]any) { ev = append(ev, "data: "+JSON(c)+"\n\n") }
	think := pick(d.thinks)
	var calls [][]map[string]any
	how := callStyle{pick(d.index), pick(d.ids), pick(d.names), pick(d.inputs)}
	for _, s := range says {
		switch s.Kind {
		case "thinking":
			for _, delta := range thoughts(think, cutAt(r, s.Text)) {
				add(chunk(delta, nil))
			}
		case "text":
			for _, p := range cutAt(r, s.Text) {
				add(chunk(map[string]any{"content": p}, nil))
			}
		case "tool":
			calls = append(calls, how.pieces(r, len(calls), s))
		}
	}
	for _, together := range mixed(r, calls, d.shuffle && how.index == "own") {
		add(chunk(map[string]any{"tool_calls": together}, nil))
	}
	finish := "stop"
	if len(calls) > 0 {
		finish = pick(d.finish)
	}
	last := chunk(map[string]any{}, finish)
	if r.IntN(4) == 0 {
		last["choices"].([]any)[0].(map[string]any)["message"] = message(r, think, says)
	}
	if finish != "" {
		add(last)
	}
	if where == "last" || finish == "" {
		add(map[string]any{"choices": []any{}, "usage": use})
	}
	if d.done {
		ev = append(ev, "data: [DONE]\n\n")
	}
	return ev
}

// message returns the whole answer, which some servers and proxies send behind its pieces.
func message(r *rand.Rand, think string, says []Say) map[string]any {
	m := map[string]any{"role": "assistant"}
	var calls []any
	text, same := "", r.IntN(2) == 0
	for _, s := range says {
		switch {
		case s.Kind == "text":
			text += s.Text
		case s.Kind == "thinking" && (think == "reasoning" || think == "reasoning_content"):
			m[think] = s.Text
		case s.Kind == "tool":
			name := map[string]any{"name": cmp.Or(s.Name, "shell"), "arguments": s.Text}
			if calls = append(calls, map[string]any{"id": s.ID, "function": name}); !same {
				calls[len(calls)-1] = map[string]any{"id": s.ID + "+", "function": name}
			}
		}
	}
	switch {
	case text != "" && same:
		m["content"] = text
	case text != "":
		m["content"] = []any{map[string]any{"type": "text", "text": text}}
	}
	if m["tool_calls"] = calls; len(calls) == 1 && r.IntN(2) == 0 {
		m["function_call"] = calls[0].(map[string]any)["function"] // the older form, beside it
	}
	return m
}

// cutAt cuts a text in random places between its characters.
func cutAt(r *rand.Rand, text string) (pieces []string) {
	from := 0
	for i := range text {
		if i > from && r.IntN(6) == 0 {
			pieces = append(pieces, text[from:i])
			from = i
		}
	}
	return append(pieces, text[from:])
}

// thoughts returns the deltas of thinking.
func thoughts(how string, pieces []string) (list []map[string]any) {
	if how == "tags" {
		pieces = cutUp("<think>"+strings.Join(pieces, "")+"</think>\n\n", 5)
	}
	for _, p := range pieces {
		switch how {
		case "tags":
			list = append(list, map[string]any{"content": p})
		case "list":
			list = append(list, map[string]any{"content": []any{map[string]any{"type": "thinking",
				"thinking": []any{map[string]any{"type": "text", "text": p}}}}})
		case "details":
			list = append(list, map[string]any{"reasoning": p, "reasoning_details": []any{
				map[string]any{"type": "reasoning.text", "text": p, "format": "f", "index": 0}}})
		default:
			list = append(list, map[string]any{how: p})
		}
	}
	return list
}

// A callStyle is how a server marks and cuts calls in one answer.
type callStyle struct{ index, ids, names, inputs string }

// pieces returns call number n in pieces.
func (c callStyle) pieces(r *rand.Rand, n int, s Say) (list []map[string]any) {
	var args []any
	switch c.inputs {
	case "pieces":
		args = append(args, "")
		for _, p := range cutAt(r, s.Text) {
			args = append(args, p)
		}
	case "object":
		args = []any{json.RawMessage(s.Text)}
	case "twice":
		args = []any{JSON(s.Text)}
	case "{}":
		args = []any{"{}", s.Text}
	case "again":
		args = []any{s.Text, s.Text}
	default:
		args = []any{s.Text}
	}
	name := s.Name
	if name == "" {
		name = "shell"
	}
	for i, a := range args {
		f := map[string]any{"arguments": a}
		piece := map[string]any{"type": "function", "function": f}
		switch {
		case i == 0 || c.names == "every":
			f["name"] = name
		case c.names == "empty":
			f["name"] = ""
		}
		switch {
		case i > 0 && c.ids == "changing":
			piece["id"] = fmt.Sprint(s.ID, "-", i)
			delete(f, "name")
		case c.ids != "none" && i == 0 || c.ids == "every":
			piece["id"] = s.ID
		}
		switch c.index {
		case "own":
			piece["index"] = n
		case "zero":
			piece["index"] = 0
		}
		list = append(list, piece)
	}
	return list
}

// mixed returns the pieces of calls in an order that keeps that of each call, some of them
// together in one chunk. Without shuffle one call comes after the other.
func mixed(r *rand.Rand, calls [][]map[string]any, shuffle bool) (chunks [][]map[string]any) {
	calls = slices.Clone(calls)
	for len(calls) > 0 {
		k := 0
		if shuffle {
			k = r.IntN(len(calls))
		}
		if chunks == nil || r.IntN(4) > 0 {
			chunks = append(chunks, nil)
		}
		last := len(chunks) - 1
		chunks[last] = append(chunks[last], calls[k][0])
		if calls[k] = calls[k][1:]; len(calls[k]) == 0 {
			calls = slices.Delete(calls, k, k+1)
		}
	}
	return chunks
}
