package main

import (
	"bytes"
	"time"

	"ua/internal/common/event"
)

// rest passes on what is left of the model's answer, up to the response, which says what
// it cost. Calls in it are denied.
func (s *stream) rest() {
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			line, err := s.next()
			if err != nil {
				return
			}
			switch typ := event.Type(line); typ {
			case "tool_call":
				c := parseCall(bytes.Clone(line))
				v := refusal("person", ended)
				err = s.w.Write(c.with(v.event(c.id))...)
			case "delta", "response", "error":
				if err = s.w.Write(line); typ == "response" {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	// The answer was paid for, and its response says how much. But a model that goes on
	// for long must not keep the person waiting.
	select {
	case <-over:
	case <-time.After(restTime):
	}
}
