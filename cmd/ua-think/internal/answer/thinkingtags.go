package answer

import (
	"slices"
	"strings"

	"ua/internal/common/event"
)

// A tagFilter parts thinking from the text of an answer that begins with it, in tags.
type tagFilter struct {
	over  bool   // the thinking, if any, has been passed
	held  string // text that is not decided yet
	close string // the tag that ends the thinking, "" outside of it
	trim  bool   // there was thinking: blanks after it belong to neither
	in    *Block // the thinking
}

// tags returns the pairs of tags in which models think (Qwen, DeepSeek and most others;
// Gemini; Seed; Magistral; Kimi).
func tags() [][2]string {
	return [][2]string{
		{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"},
		{"<seed:think>", "</seed:think>"}, {"[THINK]", "[/THINK]"}, {"◁think▷", "◁/think▷"},
	}
}

// tagged adds a piece of text, while it may be thinking in tags.
func (a *Answer) tagged(b *Block, piece string) error {
	s := &a.filter
	for s.held += piece; ; {
		if s.close == "" {
			if more, err := a.outside(b); !more {
				return err
			}
			continue
		}
		end := strings.Index(s.held, s.close)
		if end < 0 {
			keep := partial(s.held, s.close)
			thought := s.held[:len(s.held)-keep]
			s.held = s.held[len(thought):]
			return a.add(s.in, escaped(thought))
		}
		thought, rest := s.held[:end], s.held[end+len(s.close):]
		s.held, s.close, s.trim = rest, "", true
		if err := a.add(s.in, escaped(thought)); err != nil {
			return err
		}
		a.Close(s.in)
	}
}

// outside looks for a tag at the beginning of the held text. It reports whether there is one.
func (a *Answer) outside(b *Block) (more bool, err error) {
	s := &a.filter
	text := strings.TrimLeft(s.held, " \t\r\n")
	for _, pair := range tags() {
		switch {
		case strings.HasPrefix(text, pair[0]):
			s.held, s.close = text[len(pair[0]):], pair[1]
			s.in = a.before(b, pair[0])
			return true, nil
		case strings.HasPrefix(pair[0], text):
			return false, nil // not to be told yet
		}
	}
	if s.over = true; s.trim {
		s.held = text
	}
	text, s.held = s.held, ""
	return false, a.add(b, escaped(text))
}

// before opens a block of thinking before b. It goes back to its provider in its tags.
func (a *Answer) before(b *Block, tag string) *Block {
	in := &Block{Kind: Thinking}
	in.Keep("tag", string(event.AppendString(nil, tag)))
	a.Blocks = slices.Insert(a.Blocks, slices.Index(a.Blocks, b), in)
	return in
}

// partial returns how many bytes at the end of text may begin the tag.
func partial(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasPrefix(tag, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}

// Settle decides what is held of the text, at the end of an answer. Some servers send the opening
// tag as part of the prompt: then the text up to a closing tag at the end of a line is
// thinking.
func (a *Answer) Settle() {
	s := &a.filter
	first := slices.IndexFunc(a.Blocks, func(b *Block) bool { return b.Kind == Text })
	if s.over = true; first < 0 {
		return
	}
	b := a.Blocks[first]
	to, held := b, s.held
	if s.held = ""; s.close != "" {
		to = s.in
	} else if s.trim {
		held = strings.TrimLeft(held, " \t\r\n")
	}
	a.add(to, escaped(held)) // a few bytes: no limit is reached by them alone
	thought := slices.ContainsFunc(a.Blocks, func(b *Block) bool { return b.Kind == Thinking })
	if thought || b.Empty() {
		return
	}
	text := b.Plain()
	for _, pair := range tags() {
		head, rest, found := strings.Cut(text, pair[1])
		if !found || strings.Contains(head, pair[0]) || rest != "" && rest[0] != '\n' {
			continue
		}
		in := a.before(b, pair[0])
		in.body = append(in.body, escaped(head)...)
		in.done = true
		b.body = []byte(escaped(strings.TrimLeft(rest, "\r\n")))
		return
	}
}
