package provider

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
)

// The details of thinking that OpenRouter sends beside its text, among them what only the
// model can read. They go back as they came, or Gemini refuses the next request
// (openrouter.ai/docs/guides/best-practices/reasoning-tokens).
type details struct {
	provider string
	list     []*detail
}

// A detail is one of them. Its text comes in pieces.
type detail struct {
	members map[string]json.RawMessage
	member  string // that holds the text, "" if it has none
	text    []byte
}

// add adds the details of a chunk.
func (d *details) add(a *answer.Answer, chunk gjson.Result) error {
	if d.list == nil {
		a.AtEnd = func() { d.keep(a) }
	}
	for _, v := range chunk.Array() {
		next := &detail{}
		if json.Unmarshal([]byte(v.Raw), &next.members) != nil || next.members == nil {
			continue
		}
		for _, name := range []string{"text", "summary"} {
			if text := v.Get(name); text.Type == gjson.String {
				next.member, next.text = name, []byte(text.Str)
			}
		}
		if n := len(d.list); n > 0 && d.list[n-1].goesOnIn(next) {
			d.list[n-1].join(next)
		} else {
			d.list = append(d.list, next)
		}
	}
	return a.Take(len(chunk.Raw))
}

// goesOnIn reports whether next is another piece of the same text, or its signature.
func (d *detail) goesOnIn(next *detail) bool {
	same := func(name string) bool { return string(d.members[name]) == string(next.members[name]) }
	return d.member != "" && same("type") && same("index")
}

// join adds another piece: the text grows, all else is the newest that was given.
func (d *detail) join(next *detail) {
	d.text = append(d.text, next.text...)
	for name, v := range next.members {
		if string(v) != "null" {
			d.members[name] = v
		}
	}
}

// keep puts the details into the answer, as a block before all others.
func (d *details) keep(a *answer.Answer) {
	list := make([]map[string]json.RawMessage, len(d.list))
	for i, one := range d.list {
		if list[i] = one.members; one.member != "" {
			list[i][one.member], _ = json.Marshal(string(one.text)) // a string always encodes
		}
	}
	item, err := json.Marshal(map[string]any{"reasoning_details": list})
	if err == nil {
		a.First(sealed(d.provider, string(item)))
	}
}

// sealed returns the block that carries an item for its provider alone.
func sealed(provider, item string) string {
	whole, _ := json.Marshal(struct { // a struct, so that the members come in this order
		Type     string          `json:"type"`
		Provider string          `json:"provider"`
		Item     json.RawMessage `json:"item"`
	}{"provider", provider, json.RawMessage(item)})
	return string(whole)
}
