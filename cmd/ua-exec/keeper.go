package main

import "fmt"

// A keeper holds the first and the last bytes of a stream.
type keeper struct {
	head, tail []byte
	max        int
	seen       int64
}

func newKeeper(limit int) *keeper { return &keeper{max: limit / 2} }

func (k *keeper) Write(p []byte) (int, error) {
	n := len(p)
	k.seen += int64(n)
	if room := k.max - len(k.head); room > 0 {
		take := min(room, len(p))
		k.head = append(k.head, p[:take]...)
		p = p[take:]
	}
	if len(p) >= k.max {
		k.tail = append(k.tail[:0], p[len(p)-k.max:]...)
		return n, nil
	}
	if over := len(k.tail) + len(p) - 2*k.max; over > 0 {
		k.tail = append(k.tail[:0], k.tail[len(k.tail)-k.max:]...)
	}
	k.tail = append(k.tail, p...)
	return n, nil
}

// text is what was kept, with a note of what was cut out of the middle.
func (k *keeper) text() (string, bool) {
	tail := k.tail[max(0, len(k.tail)-k.max):]
	cut := k.seen - int64(len(k.head)+len(tail))
	if cut == 0 {
		return string(k.head) + string(tail), false
	}
	return fmt.Sprintf("%s\n[ua-exec: %d bytes cut out here]\n%s", k.head, cut, tail), true
}
