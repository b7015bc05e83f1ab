package conversation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// shots is a conversation with n images, each the result of a call.
func shots(n int) *Conversation {
	c := New("", false)
	c.Add(`{"type":"instruction","text":"look"}`)
	for i := range n {
		c.Add(fmt.Sprintf(`{"type":"tool_call","id":"c%d","name":"shell","input":{}}`, i))
		c.Add(fmt.Sprintf(`{"type":"tool_result","call_id":"c%d","output":"shot",`+
			`"media":[{"media_type":"image/png","data":"AAAA"}]}`, i))
		c.Add(fmt.Sprintf(`{"type":"response","content":[{"type":"tool_use","id":"c%d",`+
			`"name":"shell","input":{}}]}`, i))
	}
	return c
}

// left is which images of a conversation are left out, by their place.
func left(c *Conversation) (out []int) {
	n := 0
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			for _, md := range p.Media {
				if md.Left {
					out = append(out, n)
				}
				n++
			}
		}
	}
	return out
}

// TestCutImages: the oldest images go first, a few at a time, so that most
// requests begin like the one before; the conversation itself keeps them.
func TestCutImages(t *testing.T) {
	const limit = 20_000
	changes, last := 0, 0
	for n := 1; n <= 60; n++ {
		c := shots(n)
		now := c.Now()
		said := now.Cut(limit)
		out := left(now)
		if now.Tokens() > limit || (said == "") != (len(out) == 0) {
			t.Errorf("%d images: %d tokens, %q", n, now.Tokens(), said)
		}
		for i, at := range out {
			if i != at {
				t.Fatalf("%d images: %v are left out", n, out)
			}
		}
		if len(out) != last {
			changes++
			last = len(out)
		}
		if kept := left(c.Now()); len(kept) > 0 {
			t.Fatalf("%d images: the conversation itself has lost %v", n, kept)
		}
	}
	if changes > 60/mediaStep+1 {
		t.Errorf("the beginning changed %d times", changes)
	}
	for limit, most := range map[int]int{12_000: 5, 8000: 6, 4000: 7} {
		now := shots(8).Now()
		now.Cut(limit)
		if out := left(now); len(out) > most || now.Tokens() > limit {
			t.Errorf("limit %d: %d of 8 images are left out, %d tokens", limit, len(out), now.Tokens())
		}
	}
}

// TestCutText: long texts lose their middles, whole characters at a time, and
// what the model said stays.
func TestCutText(t *testing.T) {
	text := "HEAD" + strings.Repeat("é😀 words ", 100_000) + "TAIL"
	raw, _ := json.Marshal(text)
	own, _ := json.Marshal(strings.Repeat("mine ", 1000))
	for _, limit := range []int{2500, 5000, 50_000, 200_000} {
		c := New("", false)
		c.Add(`{"type":"instruction","text":` + string(raw) + `}`)
		c.Add(`{"type":"response","content":[{"type":"text","text":` + string(own) + `}]}`)
		c.Add(`{"type":"instruction","text":"and now?"}`)
		now := c.Now()
		said := now.Cut(limit)
		first := now.Messages[0].Parts[0].Text
		if now.Tokens() > limit || !strings.HasPrefix(first, "HEAD") ||
			!strings.HasSuffix(first, "TAIL") || !utf8.ValidString(first) {
			t.Errorf("%d: %d tokens, %.60q", limit, now.Tokens(), first)
		}
		if !strings.Contains(first, "bytes are left out here") ||
			!strings.Contains(said, "bytes from the middle") {
			t.Errorf("%d: %q", limit, said)
		}
		if now.Messages[1].Parts[0].Text != strings.Repeat("mine ", 1000) {
			t.Errorf("%d: the model's own words are cut", limit)
		}
		if c.Now().Messages[0].Parts[0].Text != text {
			t.Errorf("%d: the conversation itself is cut", limit)
		}
	}
	if c := shots(3).Now(); c.Cut(0) != "" || c.Cut(1_000_000) != "" {
		t.Error("what fits is cut")
	}
	short := New("", false)
	for range 20 {
		short.Add(`{"type":"instruction","text":"short"}`)
	}
	if now := short.Now(); now.Tokens() < 5 || now.Cut(5) != "" {
		t.Errorf("%d tokens of short texts: something is said to be left out", now.Tokens())
	}
}
