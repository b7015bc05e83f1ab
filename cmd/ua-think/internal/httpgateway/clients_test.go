package httpgateway

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// served starts a gateway before a provider that keeps each question with the word "slow"
// until the test ends.
func served(t *testing.T, atOnce int) (socket string) {
	ctx, cancel := context.WithCancel(context.Background())
	socket = start(t, "anthropic", spending.Sum{}, atOnce, func(w http.ResponseWriter,
		r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.Contains(string(text), "slow") {
			select {
			case <-ctx.Done():
			case <-r.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"type":"message","stop_reason":"end_turn"}`)
	})
	t.Cleanup(cancel)
	return socket
}

// asks returns the text of a request of a command.
func asks(command, word string) string {
	body := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"` + word + `"}]}`
	return head(command, len(body)) + body
}

// head returns the head of a request of a command.
func head(command string, length int) string {
	return fmt.Sprintf("POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: %s\r\n"+
		"Content-Length: %d\r\n\r\n", run.CommandToken("secret", command), length)
}

// dial sends a text on a connection of its own, as far as it is taken.
func dial(t *testing.T, socket, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go io.WriteString(c, text)
	return c
}

// answered fails the test if another command gets no answer, at last.
func answered(t *testing.T, socket, beside string) {
	t.Helper()
	c := dial(t, socket, asks("other", "quick"))
	c.SetReadDeadline(time.Now().Add(9 * time.Second)) // less than what a slot is waited for
	back := make([]byte, 12)
	if _, err := io.ReadFull(c, back); err != nil || string(back) != "HTTP/1.1 200" {
		t.Errorf("beside %s: %q, %v", beside, back, err)
	}
}

// TestGreedyClient: whatever one command has open, half-sent or asked, another one's
// question is answered.
func TestGreedyClient(t *testing.T) {
	for what, c := range map[string]struct {
		text string
		n    int
	}{
		"questions":         {asks("greedy", "slow"), 3 * 256},
		"few questions":     {asks("greedy", "slow"), 4},
		"half-sent heads":   {asks("greedy", "slow")[:30], 2 * 256},
		"half-sent bodies":  {head("greedy", 100) + "{", 2 * 256},
		"large bodies":      {head("greedy", maxBody) + strings.Repeat(" ", maxBody-1), 12},
		"idle connections":  {"", 2 * 256},
		"answered requests": {asks("greedy", "quick"), 2 * 256},
	} {
		t.Run(what, func(t *testing.T) {
			socket := served(t, 4)
			for range c.n {
				dial(t, socket, c.text)
			}
			time.Sleep(200 * time.Millisecond) // some of it is read
			answered(t, socket, what)
		})
	}
}
