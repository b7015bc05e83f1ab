package proxy

import (
	"strconv"
	"sync"
	"time"

	"ua/internal/common/event"
)

// refusals holds the requests that were refused last, each as a line of JSON with at_ms,
// host, port and reason.
type refusals struct {
	mu   sync.Mutex
	list [][]byte
}

// maxRefusals is how many refusals are kept.
const maxRefusals = 64

// add records a refused request, and drops the oldest beyond maxRefusals.
func (r *refusals) add(host string, port uint16, reason string) {
	line := []byte(`{"at_ms":` + strconv.FormatInt(time.Now().UnixMilli(), 10) + `,"host":`)
	line = event.AppendString(line, host)
	line = append(line, `,"port":`+strconv.Itoa(int(port))+`,"reason":`...)
	line = append(event.AppendString(line, reason), '}', '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, line)
	r.list = r.list[max(0, len(r.list)-maxRefusals):]
}

// text returns the lines, oldest first.
func (r *refusals) text() (text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.list {
		text += string(line)
	}
	return text
}
