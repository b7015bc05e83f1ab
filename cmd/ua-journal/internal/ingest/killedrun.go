package ingest

import (
	"syscall"

	"ua/cmd/ua-journal/internal/store"
)

// Conclude ends a run that has events but no summary, because the process that writes it
// was killed. The status in the summary is that of SIGKILL.
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
