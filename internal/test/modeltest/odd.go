package modeltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// OddMessages returns an answer of the Messages API as its other servers may send it: blocks
// in turns, an input in the announcement, a call announced twice, an end that is missing.
func OddMessages(r *rand.Rand, says ...Say) (ev []string) {
	event := func(typ string, more map[string]any) string {
		more["type"] = typ
		return SSE(typ, JSON(more))
	}
	var blocks [][]string
	index := 0
	block := func(start map[string]any, deltas ...map[string]any) {
		list := []string{event("content_block_start", map[string]any{"index": index,
			"content_block": start})}
		for _, d := range deltas {
			list = append(list, event("content_block_delta", map[string]any{"index": index, "delta": d}))
		}
		blocks = append(blocks, append(list,
			event("content_block_stop", map[string]any{"index": index})))
		index++
	}
	for _, s := range says {
		var deltas []map[string]any
		if s.Kind != "tool" {
			for _, p := range cutAt(r, s.Text) {
				deltas = append(deltas, map[string]any{"type": s.Kind + "_delta", s.Kind: p})
			}
			block(map[string]any{"type": s.Kind, s.Kind: ""}, deltas...)
			continue
		}
		start := map[string]any{"type": "tool_use", "id": s.ID, "name": cmp.Or(s.Name, "shell"),
			"input": map[string]any{}}
		if r.IntN(4) == 0 {
			start["input"] = json.RawMessage(s.Text)
			block(start)
			continue
		}
		for _, p := range cutAt(r, s.Text) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": p})
		}
		if block(start, deltas...); r.IntN(4) == 0 {
			block(start, deltas...)
			both := append(blocks[index-2], blocks[index-1]...) // one after the other
			blocks = append(blocks[:index-2], both)
			blocks = append(blocks, nil)
		}
	}
	ev = append(ev, event("message_start", map[string]any{"message": map[string]any{
		"model": "m", "usage": map[string]any{"input_tokens": usual.Prompt()}}}))
	ev = append(ev, inTurns(r, blocks, len(says) > 0 && says[0].Kind == "tool")...)
	ev = append(ev, event("message_delta", map[string]any{"usage": map[string]any{
		"output_tokens": usual.Output}, "delta": map[string]any{"stop_reason": "end_turn"}}))
	if r.IntN(3) > 0 {
		ev = append(ev, event("message_stop", map[string]any{}))
	}
	return ev
}

// OddResponses returns an answer of the Responses API as its other servers may send it: what
// an item is comes in any of four ways, in some of them or in all.
func OddResponses(r *rand.Rand, says ...Say) (ev []string) {
	add := func(typ string, more map[string]any) {
		more["type"] = "response." + typ
		ev = append(ev, SSE(more["type"].(string), JSON(more)))
	}
	ids, places, renamed := r.IntN(3) > 0, r.IntN(3) > 0, r.IntN(3) == 0
	output := []any{}
	way := r.IntN(15) + 1 // a bit a way: deltas, their end, the item, the whole
	whole := way >= 8
	for i, s := range says {
		mark := func(m map[string]any) map[string]any {
			if ids {
				m["item_id"] = fmt.Sprint("i", i)
			}
			if places || !ids && s.Kind == "tool" {
				m["output_index"] = i
			}
			return m
		}
		item := map[string]any{"type": "message", "content": []any{map[string]any{
			"type": "output_text", "text": s.Text}}}
		pieces, kind := cutAt(r, s.Text), "output_text"
		empty := map[string]any{"type": "message", "content": []any{}}
		if s.Kind == "tool" {
			kind = "function_call_arguments"
			item = map[string]any{"type": "function_call", "name": cmp.Or(s.Name, "shell"),
				"call_id": s.ID, "arguments": s.Text}
			empty = map[string]any{"type": "function_call", "name": cmp.Or(s.Name, "shell"),
				"call_id": s.ID, "arguments": ""}
		}
		if ids {
			item["id"], empty["id"] = fmt.Sprint("i", i), fmt.Sprint("i", i)
		}
		if s.Kind == "tool" && way&3 > 0 {
			add("output_item.added", mark(map[string]any{"item": empty}))
		}
		if way&1 > 0 {
			for _, p := range pieces {
				add(kind+".delta", mark(map[string]any{"delta": p}))
			}
		}
		if way&2 > 0 {
			add(kind+".done", mark(map[string]any{"text": s.Text, "arguments": s.Text}))
		}
		// Without a mark nothing but the end of a text parts it from the next.
		if way&4 > 0 || s.Kind == "text" && !ids && !places {
			add("output_item.done", mark(map[string]any{"item": item}))
		}
		last := map[string]any{}
		for k, v := range item {
			if last[k] = v; k == "id" && renamed {
				last[k] = fmt.Sprint("z", i)
			}
		}
		output = append(output, last)
	}
	if !whole {
		output = nil
	}
	add("completed", map[string]any{"response": map[string]any{"status": "completed",
		"output": output, "usage": map[string]any{"input_tokens": usual.Prompt(),
			"output_tokens": usual.Output}}})
	return ev
}

// inTurns returns the events of blocks, in turns if mixed, and otherwise one block by another.
func inTurns(r *rand.Rand, blocks [][]string, mixed bool) (list []string) {
	for len(blocks) > 0 {
		k := 0
		if mixed {
			k = r.IntN(len(blocks))
		}
		if len(blocks[k]) == 0 {
			blocks = append(blocks[:k:k], blocks[k+1:]...)
			continue
		}
		list = append(list, blocks[k][0])
		blocks[k] = blocks[k][1:]
	}
	return list
}
