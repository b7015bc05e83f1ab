package main

import (
	"bytes"
	"strings"
	"sync"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/redact"
	"ua/internal/common/scrub"
)

// A recent holds the last bytes of a command's output, for a display.
type recent struct {
	mu   sync.Mutex
	text []byte
	cut  bool // at its start
}

// add takes in what was printed; nil takes nothing.
func (r *recent) add(p []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p[max(0, len(p)-recentMax):]...)
	if over := len(r.text) - recentMax; over > 0 || len(p) > recentMax {
		r.text, r.cut = append(r.text[:0], r.text[max(over, 0):]...), true
	}
}

// line returns the newest line that is not blank, without secrets. What may be the start of one
// is left out, and so is a line of which the start is not there.
func (r *recent) line(secrets *redact.Set) string {
	r.mu.Lock()
	text := bytes.Clone(r.text)
	cut := r.cut
	r.mu.Unlock()
	if cut {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	var clean []byte
	s := secrets.Stream(func(p []byte) { clean = append(clean, p...) })
	s.Write(text)
	s.Settle()
	words, _ := scrub.Text(string(clean))
	words = strings.TrimRight(words, " \t\r\n")
	return words[strings.LastIndexAny(words, "\r\n")+1:]
}

// await waits for the result of the call, and meanwhile passes on the newest line of its output
// whenever that has changed.
func (q *queuedCall) await(secrets *redact.Set, pass func(line []byte)) {
	look := time.NewTicker(progressEvery)
	defer look.Stop()
	for told := ""; ; {
		select {
		case <-q.done:
			return
		case <-look.C:
			if text := q.recent.line(secrets); text != told {
				told = text
				pass(event.New("delta").Str("kind", "output").Str("call_id", q.call.id).
					Str("text", text).Line())
			}
		}
	}
}
