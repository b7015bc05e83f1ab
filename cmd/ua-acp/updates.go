package main

import (
	"bytes"
	"cmp"
	"math"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
)

// show tells the editor of an event, one of the run that goes on or one of its journal.
func (t *turn) show(line []byte) {
	id := event.Str(line, "call_id")
	switch event.Type(line) {
	case "instruction", "message":
		t.chunk("user_message_chunk", event.Str(line, "text"))
	case "delta":
		switch event.Str(line, "kind") {
		case "text":
			t.streamed = true
			t.chunk("agent_message_chunk", event.Str(line, "text"))
		case "thinking":
			t.chunk("agent_thought_chunk", event.Str(line, "text"))
		case "output": // the newest line of a command
			if t.calls[id] != nil {
				t.update(id, map[string]any{"content": content(fenced(event.Str(line, "text")))})
			}
		}
	case "response":
		t.response(line)
	case "tool_call":
		t.begin(line)
	case "verdict":
		if t.calls[id] != nil && event.Str(line, "decision") == "allow" {
			t.update(id, map[string]any{"status": "in_progress"})
		}
	case "tool_result":
		t.result(id, gjson.ParseBytes(line))
	case "error":
		t.chunk("agent_thought_chunk", "\nua: "+style.FirstLine(event.Str(line, "message"), 400)+"\n")
	}
}

// chunk sends a piece of text.
func (t *turn) chunk(kind, text string) {
	if text != "" {
		t.a.update(t.s.id, kind, map[string]any{"content": textBlock(text)})
	}
}

// textBlock returns a text as a block of content.
func textBlock(text string) any { return map[string]any{"type": "text", "text": text} }

// content returns a text as the content of a call.
func content(text string) []any {
	return []any{map[string]any{"type": "content", "content": textBlock(text)}}
}

// fenced returns a text that Markdown leaves as it is.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// response shows what has not come in deltas: all of it from a journal.
func (t *turn) response(line []byte) {
	if !t.streamed {
		gjson.GetBytes(line, "content").ForEach(func(_, b gjson.Result) bool {
			switch b.Get("type").Str {
			case "text":
				t.chunk("agent_message_chunk", b.Get("text").Str)
			case "thinking":
				t.chunk("agent_thought_chunk", b.Get("thinking").Str)
			}
			return true
		})
	}
	t.streamed, t.stop = false, event.Str(line, "stop_reason")
}

// begin tells of a new call.
func (t *turn) begin(line []byte) {
	id := event.Str(line, "id")
	t.calls[id] = &call{decided: func() {}}
	title := cmp.Or(event.Str(line, "input.command"), event.Str(line, "name"))
	t.a.update(t.s.id, "tool_call", map[string]any{"toolCallId": id, "kind": "execute",
		"title": style.FirstLine(title, 200), "status": "pending",
		"rawInput": gjson.GetBytes(line, "input").Value()})
}

// result shows how a call ended.
func (t *turn) result(id string, r gjson.Result) {
	c := t.calls[id]
	if c == nil || c.over {
		return
	}
	c.over = true
	status, code := r.Get("status").Str, r.Get("exit_code")
	state := "completed"
	if status != "run" && status != "" || code.Int() != 0 {
		state = "failed"
	}
	list := []any{}
	text := strings.NewReplacer("<terminal_output>\n", "", "</terminal_output>\n", "",
		"</terminal_output>", "").Replace(r.Get("output").String()) // which is for the model
	if strings.TrimSpace(text) != "" {
		list = content(fenced(text))
	}
	t.update(id, map[string]any{"status": state, "content": list,
		"rawOutput": map[string]any{"status": status, "exit_code": code.Value()}})
}

// replay shows the editor the conversation so far.
func (a *agent) replay(id string, r run.Run) error {
	f, err := safefile.Open(r.Journal())
	if err != nil {
		return err
	}
	defer f.Close()
	t := &turn{a: a, s: a.sessions[id], calls: map[string]*call{}}
	var held [][]byte // calls, which a journal has before the words that came with them
	show := func() {
		for _, l := range held {
			t.show(l)
		}
		held = nil
	}
	err = journal.Each(f, math.MaxInt64, journal.Ignore, func(line []byte, _ int64) error {
		line = bytes.Clone(line)
		switch event.Type(line) {
		case "response":
			held = append([][]byte{line}, held...)
			show()
		case "instruction", "message":
			held = append(held, line)
			show()
		default:
			held = append(held, line)
		}
		return nil
	})
	show()
	return err
}
