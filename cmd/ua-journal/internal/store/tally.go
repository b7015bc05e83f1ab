package store

import (
	"io"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/runfolder"
)

// Tally adds up the first size bytes of a journal, with what its commands have asked of models,
// and returns how long ago it began. The age is 0 if it is not known or if the clock went back.
func Tally(j io.ReaderAt, size int64) (t journal.Tally, age time.Duration, err error) {
	var began time.Time
	var below runfolder.Ledger
	err = journal.Each(j, size, journal.Ignore, func(line []byte, _ int64) error {
		if began.IsZero() {
			began, _ = time.Parse(time.RFC3339, event.Str(line, "ts"))
		}
		t.Add(line)
		below.Add(line)
		return nil
	})
	t.TokensIn += below.All.TokensIn
	t.TokensOut += below.All.TokensOut
	t.CostUSD += below.All.CostUSD
	if !began.IsZero() {
		age = max(time.Since(began), 0)
	}
	return t, age, err
}
