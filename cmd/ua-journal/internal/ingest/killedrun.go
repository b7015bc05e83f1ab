package ingest

import (
	"syscall"

	"ua/cmd/ua-journal/internal/store"
)

// Conclude ends the run of which events came but no summary: who was to write it
// is dead.
func (a *Appender) Conclude() error {
	if a.last == "" || a.last == "summary" {
		return nil
	}
	t, age, err := store.Tally(a.w.File, a.w.Size)
	if err != nil {
		return err
	}
	t.Fail("ua", "the run was killed: its events end without a summary", true)
	return a.Take(t.Summary(128+int(syscall.SIGKILL), age))
}
