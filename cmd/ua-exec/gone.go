package main

import (
	"fmt"
	"sync"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/event"
)

// A background is the commands in the background that have ended since the last
// result.
type background struct {
	mu      sync.Mutex
	gone    []gone
	watched sync.WaitGroup // those that have not ended
}

func (b *background) add(g gone) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = append(b.gone, g)
}

// A gone is a background command that has ended.
type gone struct {
	id     string
	end    process.Ended
	refuse string // why ua-sandbox did not run it, or ""
}

// tell adds to a result which background commands have ended since the last
// one, and returns the same in words.
func (bg *background) tell(b *event.Builder) (words []string) {
	bg.mu.Lock()
	defer bg.mu.Unlock()
	if len(bg.gone) == 0 {
		return nil
	}
	list := []byte{'['}
	for i, g := range bg.gone {
		if i > 0 {
			list = append(list, ',')
		}
		code, signal := g.end.Code()
		list = fmt.Appendf(list, `{"call_id":%s,"exit_code":%d}`, event.AppendString(nil, g.id), code)
		word := fmt.Sprintf("the background command of call %s has ended with exit status %d",
			g.id, code)
		if signal != "" {
			word += " (" + signal + ")"
		}
		if g.refuse != "" {
			word = fmt.Sprintf("the background command of call %s was not run: %s", g.id, g.refuse)
		}
		words = append(words, word)
	}
	bg.gone = nil
	b.Raw("background_ended", append(list, ']'))
	return words
}
