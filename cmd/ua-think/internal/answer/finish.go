package answer

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ua/cmd/ua-think/internal/usage"
)

// Whole reports whether an answer that has ended without a word about it is complete, for
// all that can be told: each call has a name and a whole input, and there is a call or a
// text. marked says that its server marks the end of each block: none may be open then.
func (a *Answer) Whole(marked bool) bool {
	if a.filter.close != "" || strings.TrimSpace(a.filter.held) != "" {
		return false // half a tag, or thinking
	}
	a.Settle()
	a.settleCalls()
	open := func(b *Block) bool {
		return !b.done && (marked || b.Kind == Call && (!b.value.whole || b.Name == "" || b.hollow()))
	}
	call := func(b *Block) bool { return b.Kind == Call }
	return !slices.ContainsFunc(a.Blocks, open) && (a.Says() || slices.ContainsFunc(a.Blocks, call))
}

// Finish ends a complete answer: its calls leave. Of one that its server gave up nothing
// leaves that has not left.
func (a *Answer) Finish() {
	a.Settle()
	a.settleCalls()
	switch a.Stop {
	case Refusal, Failed, Interrupted:
		return
	}
	if a.AtEnd != nil {
		a.AtEnd()
	}
	for _, b := range a.Blocks {
		switch {
		case b.done:
		case b.Kind == Call:
			a.leave(b)
		default:
			b.done = true
		}
	}
	a.Blocks = slices.DeleteFunc(a.Blocks, func(b *Block) bool { return b.Kind == Unknown })
	if a.Calls > 0 && (a.Stop == EndTurn || a.Stop == Pause) {
		a.Stop = ToolUse // most servers do not tell these apart
	}
}

// GoOn makes a ready for another stream, which continues a turn that paused. The usage of the
// first is returned.
func (a *Answer) GoOn() (used usage.Usage) {
	used = a.Usage
	a.Stop, a.Why, a.Usage = "", "", usage.Usage{}
	a.marked, a.at, a.given, a.call = nil, nil, nil, nil
	return used
}

// settleCalls joins the pieces of one call that were taken for several, and drops calls of
// which nothing came but, perhaps, the name.
func (a *Answer) settleCalls() {
	var kept []*Block
	var last *Block
	for _, b := range a.Blocks {
		if b.Kind == Call && last != nil && !last.done && !b.done && last.goesOnIn(b) {
			last.join(b)
			continue
		}
		if kept = append(kept, b); b.Kind == Call {
			last = b
		}
	}
	names := map[string]int{}
	for _, b := range kept {
		names[b.Name]++ // a text has none
	}
	a.Blocks = slices.DeleteFunc(kept, func(b *Block) bool {
		return b.Kind == Call && !b.done && len(b.body) == 0 &&
			(b.Name == "" || b.Given == "" && names[b.Name] > 1)
	})
	a.order()
}

// order puts the calls that have not left in the order of their indexes, if those are numbers.
func (a *Answer) order() {
	late := slices.DeleteFunc(slices.Clone(a.Blocks), func(b *Block) bool {
		return b.Kind != Call || b.done
	})
	named := false
	slices.SortStableFunc(late, func(b, c *Block) int {
		n, err := strconv.Atoi(b.index)
		m, bad := strconv.Atoi(c.index)
		named = named || err != nil || bad != nil
		return n - m
	})
	for i, b := range a.Blocks {
		if b.Kind == Call && !b.done && !named {
			a.Blocks[i], late = late[0], late[1:]
		}
	}
}

// goesOnIn reports whether c holds more of b: b has no input yet and only one of the two has
// an ID, or c is no input, does not begin like one, and has no ID or no index of its own.
func (b *Block) goesOnIn(c *Block) bool {
	switch {
	case b.value.whole || b.Name != c.Name && b.Name != "" && c.Name != "":
		return false
	case len(b.body) == 0:
		return b.Given == "" || c.Given == ""
	case len(c.body) == 0 || c.Given != "" && c.index != b.index:
		return false
	}
	_, err := tidy(c.body)
	return err != nil && c.body[0] != '{'
}

// join adds what c holds to b.
func (b *Block) join(c *Block) {
	text := string(c.body)
	b.value.take(text)
	b.body = append(b.body, text...)
	b.named(c.Name)
	if b.Given == "" {
		b.Given = c.Given
	}
	if c.extra != nil {
		b.extra = c.extra
	}
}

// unfit says in words for the model what is wrong with the input of a call.
func (a *Answer) unfit(input []byte, err error) string {
	start := bytes.ToValidUTF8(input[:min(len(input), 200)], []byte("\ufffd"))
	if a.Stop != MaxTokens {
		return fmt.Sprintf("the input of this call is not a JSON object (%v), so it was not run: %s",
			err, start)
	}
	limit := "the limit of an answer's tokens"
	if a.Usage.Output > 0 {
		limit = fmt.Sprintf("%d tokens, the limit of an answer", a.Usage.Output)
	}
	return fmt.Sprintf("this call was cut at %s, so it was not run: write it in parts, "+
		"in several shorter calls. It began: %s", limit, start)
}
