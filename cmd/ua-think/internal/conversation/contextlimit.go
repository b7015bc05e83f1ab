package conversation

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/media"
)

// mediaStep is how many media are left out at a time, at most. The requests until the
// next step then begin in the same way, and the provider's cache serves them.
const mediaStep = 8

// step returns how many media are left out at a time. If only few fit, the step is
// smaller, so that some of them stay.
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

// tokens returns about how many tokens the part takes, with some for its frame.
func (p Part) tokens() int {
	n := (len(p.Text)+len(p.Input)+len(p.ID)+len(p.Name))/usage.BytesPerToken + 4
	for _, m := range p.Media {
		if m.here() {
			n += max(m.count, media.Tokens)
		} else {
			n += len(m.Apology())/usage.BytesPerToken + 4
		}
	}
	return n
}

// Cut makes the conversation fit into about limit tokens; 0 is no limit. It first leaves
// out the oldest media, a few at a time, and then takes the middle out of the longest
// texts. Each gap is marked by a note. what says what was left out, "" if nothing. c must
// come from Now, because it shares parts with the conversation that continues: Cut copies
// what it changes.
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

// leaveOut leaves out the oldest media, step by step, until the conversation fits or has
// none left.
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

// shorten takes the middle out of all texts longer than some length, and returns how many
// bytes that removed. The length is the largest power of two, from 256 bytes to 256 KiB,
// with which the conversation fits.
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

// A longText is a text that can be shortened: its place and the whole of it.
type longText struct {
	at    *string
	whole string
}

// longTexts returns the texts of the user and of results. What the model has said is left
// alone, because its provider may have signed it.
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

// middleOut returns text with only about keep bytes, half from each end, and a note
// between them. A text that is hardly longer than that is returned as it is.
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
