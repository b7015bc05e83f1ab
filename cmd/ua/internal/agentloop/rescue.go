package agentloop

import (
	"bytes"
	"io"

	"ua/internal/common/event"
	"ua/internal/common/safefile"
)

// rescue writes the error and the summary with a second writer, because the first one
// died.
func (l *loop) rescue(summary []byte) {
	_ = recordEvents(l.run, func(in io.Writer) error {
		w := event.NewWriter(in)
		for _, line := range l.unwritten(l.run.Journal()) {
			w.Write(line)
		}
		w.Write(event.Error(l.result.stage, l.result.message, l.result.retryable))
		return w.Write(summary)
	})
}

// entriesMax is how many bytes of a journal are searched for the run's first events.
const entriesMax = 4 * event.MaxLine

// unwritten returns those of the first events that the journal's writer has lost: a signal
// to all of a run may end it before it reads, or does anything about signals. Without them
// the record would not say what was asked.
func (p *pipe) unwritten(journal string) (lost [][]byte) {
	if len(p.entries) == 0 || p.refusedByHook() {
		return nil
	}
	f, err := safefile.Open(journal)
	if err != nil {
		return p.entries // there is no journal yet
	}
	defer f.Close()
	kept, err := io.ReadAll(io.NewSectionReader(f, p.before, entriesMax))
	for _, line := range p.entries {
		if err == nil && !bytes.Contains(kept, []byte(`{"type":"`+event.Type(line)+`"`)) {
			lost = append(lost, line)
		}
	}
	return lost
}

// refusedByHook reports whether a hook, through ua-gate watch, has ended the stream to
// the journal.
func (p *pipe) refusedByHook() bool {
	_, how := p.watcher.Failure()
	return how != ""
}
