package store

import (
	"errors"
	"io"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/journal"
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

// Tally adds up the first size bytes of a journal, and returns how long ago it began. The
// age is 0 if it is not known or if the clock went back.
func Tally(j io.ReaderAt, size int64) (t journal.Tally, age time.Duration, err error) {
	var began time.Time
	err = Each(j, size, Ignore, func(line []byte, _ int64) error {
		if began.IsZero() {
			began, _ = time.Parse(time.RFC3339, event.Str(line, "ts"))
		}
		t.Add(line)
		return nil
	})
	if !began.IsZero() {
		age = max(time.Since(began), 0)
	}
	return t, age, err
}
