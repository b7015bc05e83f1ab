package journal

import (
	"errors"
	"io"

	"ua/internal/common/event"
)

// Each calls do for each event in the first size bytes of a journal, with its offset,
// until do returns an error. bad is called for a line that is no event.
func Each(j io.ReaderAt, size int64, bad func(error), do func(line []byte, at int64) error) error {
	r := event.NewReader(io.NewSectionReader(j, 0, size))
	for {
		line, err := r.Next()
		var m *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &m):
			bad(m)
		case err != nil:
			return err
		default:
			if err := do(line, r.Offset()); err != nil {
				return err
			}
		}
	}
}

// Ignore is a bad for lines that were reported before.
func Ignore(error) {}
