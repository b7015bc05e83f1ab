package session

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A pipeEnd is a connection that can be closed for writing alone.
type pipeEnd struct{ net.Conn }

func (pipeEnd) CloseWrite() error { return nil }

// TestEnd: the run above gets time to break off only if it can be told to.
func TestEnd(t *testing.T) {
	for whole, want := range map[bool]time.Duration{false: stopTime, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			told := make(chan string)
			go func() {
				line, _ := event.NewReader(far).Next()
				told <- event.Type(line)
			}()
			s := &Session{}
			s.above.conn, s.above.out, s.above.whole = pipeEnd{near}, event.NewWriter(near), whole
			s.above.ended = make(chan struct{})
			begun := time.Now()
			_ = s.End(prog.Exit(143))
			if line, took := <-told, time.Since(begun); took != want || (line == "stop") == whole {
				t.Errorf("whole %v: %q after %v", whole, line, took)
			}
		})
	}
}
