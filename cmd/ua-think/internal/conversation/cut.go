package conversation

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/media"
)

// mediaStep is how many media are left out at a time, at most: the requests in between
// begin alike, so that the provider's cache serves them.
const mediaStep = 8

// step returns how many media are left out at a time: where few fit, some of them stay.
func step(limit int) int { return max(1, min(mediaStep, limit/media.Tokens*2/3)) }

// Tokens returns about how many tokens the conversation takes.
func (c *Conversation) Tokens() int {
	n := (len(c.System) + len(c.Tools)) / usage.BytesPerToken
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			n += p.tokens()
		}
	}
	return n
}

func (p Part) tokens() int {
	n := (len(p.Text)+len(p.Input)+len(p.ID)+len(p.Name))/usage.BytesPerToken + 4
	for _, m := range p.Media {
		if m.here() {
			n += media.Tokens
		} else {
			n += len(m.Apology())/usage.BytesPerToken + 4
		}
	}
	return n
}

// Cut makes the conversation fit into limit tokens, by about what it takes: the
// oldest media are left out first, a few at a time, then the longest texts lose
// their middles. A note stands in the place of what is missing. It says what it
// left out, or "" when that is nothing. c must come from Now, which
// shares its parts with the conversation that goes on.
func (c *Conversation) Cut(limit int) (what string) {
	if limit <= 0 || c.Tokens() <= limit {
		return ""
	}
	for i := range c.Messages {
		c.Messages[i].Parts = slices.Clone(c.Messages[i].Parts)
	}
	dropped := c.leaveOut(limit)
	bytes := c.shorten(limit)
	switch {
	case bytes == 0 && dropped == 0:
		return "" // many short texts: the server says that it is too much
	case bytes == 0:
		return fmt.Sprintf("the %d oldest images and files", dropped)
	case dropped == 0:
		return fmt.Sprintf("%d bytes from the middle of long texts", bytes)
	}
	return fmt.Sprintf("the %d oldest images and files and %d bytes from the middle of long texts",
		dropped, bytes)
}

// leaveOut leaves out the oldest media, a step at a time, until the conversation
// fits or none is left.
func (c *Conversation) leaveOut(limit int) (dropped int) {
	var all []*Medium
	for i := range c.Messages {
		for j := range c.Messages[i].Parts {
			p := &c.Messages[i].Parts[j]
			p.Media = slices.Clone(p.Media)
			for k := range p.Media {
				if p.Media[k].here() {
					all = append(all, &p.Media[k])
				}
			}
		}
	}
	for dropped < len(all) && c.Tokens() > limit {
		for _, m := range all[dropped:min(dropped+step(limit), len(all))] {
			m.Left = true
			dropped++
		}
	}
	return dropped
}

// shorten takes the middle out of texts that are longer than some length, the
// longest that makes the conversation fit, and gives how many bytes that took.
func (c *Conversation) shorten(limit int) (cut int) {
	texts := c.longTexts()
	for keep := 256 << 10; c.Tokens() > limit && keep >= 256; keep /= 2 {
		cut = 0
		for _, t := range texts {
			*t.at = middleOut(t.whole, keep)
			cut += len(t.whole) - min(len(*t.at), len(t.whole))
		}
	}
	return cut
}

// A longText is a text of the user or of a result, and where it stands.
type longText struct {
	at    *string
	whole string
}

// longTexts returns the texts that may be shortened: what the model said itself, and
// its provider may have signed, is not among them.
func (c *Conversation) longTexts() (texts []longText) {
	for i := range c.Messages {
		if c.Messages[i].Assistant {
			continue
		}
		for j := range c.Messages[i].Parts {
			p := &c.Messages[i].Parts[j]
			texts = append(texts, longText{&p.Text, p.Text})
		}
	}
	return texts
}

// middleOut returns text with only keep bytes of its head and tail and a note
// between, if it is longer than that and the note.
func middleOut(text string, keep int) string {
	if len(text) <= keep+100 {
		return text
	}
	head, tail := keep/2, len(text)-keep/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	note := fmt.Sprintf("\n[%d bytes are left out here to save room]\n", tail-head)
	return text[:head] + note + text[tail:]
}
