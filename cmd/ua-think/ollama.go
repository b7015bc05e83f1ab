package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/sse"
)

// ollama asks by Ollama's own API, which streams one JSON object a line
// (github.com/ollama/ollama/blob/main/docs/api.md).
func ollama(m model, r *request) call {
	h := http.Header{}
	if m.key != "" {
		h.Set("Authorization", "Bearer "+m.key)
	}
	return call{
		url:    join(m.base, "/api", "/chat"),
		header: h,
		body:   ollamaBody(m, r),
		decode: func(body io.Reader, a *answer) error { return ollamaLines(body, m, a) },
	}
}

func ollamaBody(m model, r *request) []byte {
	c := r.talk
	b := make([]byte, 0, r.size())
	b = append(append(append(b, `{"model":`...), quoted(m.name)...), `,"stream":true`...)
	switch {
	case r.o.thinking == 0:
		b = append(b, `,"think":false`...)
	case r.o.effort != "":
		b = append(append(b, `,"think":`...), quoted(r.o.effort)...)
	case r.o.thinking > 0:
		b = append(b, `,"think":true`...)
	}
	if n := r.o.maxTokens; n > 0 {
		b = append(strconv.AppendInt(append(b, `,"options":{"num_predict":`...), int64(n), 10), '}')
	}
	if r.schema != "" {
		b = append(append(b, `,"format":`...), r.schema...)
	}
	b = chatTools(b, r, `{"type":"function","function":`, `}`)
	b = append(b, `,"messages":[`...)
	if c.system != `""` {
		b = append(append(append(b, `{"role":"system","content":`...), c.system...), `},`...)
	}
	for _, msg := range c.messages {
		if msg.assistant {
			b = ollamaAssistant(b, m, msg)
		} else {
			b = ollamaUser(b, msg)
		}
	}
	return append(b[:len(b)-1], `]}`...)
}

func ollamaAssistant(b []byte, m model, msg message) []byte {
	text, thought := `""`, ""
	for _, p := range msg.parts {
		switch {
		case p.kind == "text" && text == `""`:
			text = p.text
		case p.kind == "text":
			text = joinText(text, p.text)
		case p.kind == "thinking" && m.said(p):
			thought = joinText(thought, p.text)
		}
	}
	b = append(append(b, `{"role":"assistant","content":`...), text...)
	if thought != "" {
		b = append(append(b, `,"thinking":`...), thought...)
	}
	sep := `,"tool_calls":[`
	for _, p := range msg.parts {
		if p.kind == "call" {
			b = append(append(append(b, sep...), `{"function":{"name":`...), p.name...)
			b = append(append(append(b, `,"arguments":`...), p.input...), `}}`...)
			sep = ","
		}
	}
	if sep == "," {
		b = append(b, ']')
	}
	return append(b, `},`...)
}

// ollamaUser adds results, which know their call by its name, and what the user
// said with its images.
func ollamaUser(b []byte, msg message) []byte {
	text := ""
	var pictures []medium
	for _, p := range msg.parts {
		switch p.kind {
		case "result":
			b = append(append(b, `{"role":"tool","tool_name":`...), p.name...)
			b = append(append(append(b, `,"content":`...), p.text...), `},`...)
		case "text":
			text = joinText(text, p.text)
		}
		for _, md := range p.media {
			if md.image() {
				pictures = append(pictures, md)
			} else {
				text = joinText(text, md.apology())
			}
		}
	}
	if text == "" && len(pictures) == 0 {
		return b
	}
	if text == "" {
		text = `""`
	}
	b = append(append(b, `{"role":"user","content":`...), text...)
	for i, md := range pictures {
		if i == 0 {
			b = append(b, `,"images":[`...)
		}
		b = append(append(b, quoted(md.data)...), ',')
	}
	if len(pictures) > 0 {
		b[len(b)-1] = ']'
	}
	return append(b, `},`...)
}

// ollamaLines decodes a streamed answer; the line with "done" ends it.
func ollamaLines(body io.Reader, m model, a *answer) error {
	r := sse.NewReader(body, a.limits.event)
	for {
		line, err := r.Line()
		if err == io.EOF {
			return ended(a)
		} else if err != nil {
			return streamFailure(err)
		}
		if len(strings.TrimSpace(view(line))) == 0 {
			continue
		}
		if !gjson.ValidBytes(line) {
			return cut(io.ErrUnexpectedEOF)
		}
		done, err := ollamaLine(gjson.Parse(view(line)), m, a)
		if err != nil || done {
			return err
		}
	}
}

func ollamaLine(data gjson.Result, m model, a *answer) (done bool, err error) {
	if e := data.Get("error"); e.Type == gjson.String {
		return false, apiFailure(m.provider, 0, "", e.Str)
	}
	a.model = m.name
	msg := data.Get("message")
	if t := msg.Get("thinking"); t.Type == gjson.String && len(t.Str) > 0 {
		err = a.say(a.last("thinking"), t)
	}
	if t := msg.Get("content"); err == nil && t.Type == gjson.String && len(t.Str) > 0 {
		err = a.say(textBlock(a), t)
	}
	for _, c := range msg.Get("tool_calls").Array() {
		for _, b := range a.blocks {
			a.close(b)
		}
		b := a.call(c.Get("id").Str, c.Get("function.name").Str)
		if args := c.Get("function.arguments"); err == nil && args.IsObject() {
			err = a.feedRaw(b, args.Raw)
		} else if err == nil {
			err = a.feed(b, args)
		}
		a.close(b)
	}
	if err != nil || !data.Get("done").Bool() {
		return false, err
	}
	for _, b := range a.blocks {
		a.close(b)
	}
	take(&a.usage.input, data.Get("prompt_eval_count"))
	take(&a.usage.output, data.Get("eval_count"))
	a.why = strings.Clone(data.Get("done_reason").Str)
	switch {
	case a.why == "length":
		a.stop = "max_tokens"
	case a.calls > 0:
		a.stop = "tool_use"
	default:
		a.stop = "end_turn"
	}
	return true, nil
}
