package output

import (
	"bytes"
	"strings"
	"sync"

	"ua/internal/common/redact"
	"ua/internal/common/scrub"
)

// newestMax is how many bytes of a command's output the newest line is looked for in. A PEM
// block, which is known as a secret by its first line, fits.
const newestMax = 8 << 10

// A Newest holds the last bytes of a command's output, for a display.
type Newest struct {
	mu   sync.Mutex
	text []byte
	cut  bool // at its start
}

// add takes in what was printed; nil takes nothing.
func (r *Newest) add(p []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p[max(0, len(p)-newestMax):]...)
	if over := len(r.text) - newestMax; over > 0 || len(p) > newestMax {
		r.text, r.cut = append(r.text[:0], r.text[max(over, 0):]...), true
	}
}

// Line returns the newest line that is not blank, without secrets. What may be the start of one
// is left out, and so is a line of which the start is not there.
func (r *Newest) Line(secrets *redact.Set) string {
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
