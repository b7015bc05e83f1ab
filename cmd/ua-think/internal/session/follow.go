package session

import (
	"context"
	"strings"

	"ua/cmd/ua-think/internal/failure"
	"ua/internal/common/event"
)

// Follow calls take with each event of in, until the end, the end of ctx or that of the
// conversation with the run above. They are read by another goroutine, so that an interrupt is
// noticed while a line is awaited, and what stop, if it is not nil, takes for itself while a
// model answers. bad gets the errors of broken lines.
func (s *Session) Follow(ctx context.Context, in *event.Reader, bad *event.Writer,
	stop func(line []byte) bool, take func(context.Context, string) error) error {
	lines, failed := make(chan string, 4), make(chan error, 1)
	go func() {
		failed <- event.Each(in, failure.Stage, bad, func(line []byte) error {
			if stop != nil && stop(line) {
				return nil
			}
			select {
			case lines <- strings.ToValidUTF8(string(line), "\ufffd"):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		close(lines)
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.above.ended:
			return s.endedAbove(ctx)
		case line, ok := <-lines:
			if !ok {
				return <-failed
			}
			if err := take(ctx, line); err != nil {
				return err
			}
		}
	}
}
