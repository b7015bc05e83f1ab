package store

import (
	"io"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// Tally adds up a journal's first size bytes, and says how long ago it began: 0
// when the clock went back or nobody knows.
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
