package store

import (
	"os"
	"path/filepath"
	"time"

	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

// The policies of a Syncer (ua-journal(1), --sync).
const (
	SyncNever = "none"
	SyncTurns = "turn" // after what ends a step, beside the stream
	SyncLines = "line" // before each line is passed on
)

// A Syncer writes a journal to its disk. With the policy SyncTurns it does so
// beside the stream: a line is passed on as soon as it is written, and fsync(2) follows
// a moment later.
type Syncer struct {
	f    *os.File
	name bool // the file's name is on the disk
	line bool
	want chan struct{}
	ends chan struct{} // closed when nothing more comes
	done chan error
}

// NewSyncer returns the Syncer for a policy. A policy that is none is an error.
func NewSyncer(policy string, f *os.File) (*Syncer, error) {
	s := &Syncer{f: f, line: policy == SyncLines}
	switch policy {
	case SyncNever, SyncLines:
	case SyncTurns:
		s.want, s.ends, s.done = make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
		go s.run()
	default:
		return nil, prog.Errorf(prog.Trouble, "--sync: unknown policy %q",
			policy).Hintf("none, turn or line")
	}
	return s, nil
}

// moment is how long a sync waits for the next request of the model to be on its way: the runtime
// takes the only processor from a thread in a system call late, and the turn would wait for that.
const moment = time.Millisecond

// run syncs whenever it is asked to, until an error or the end.
func (s *Syncer) run() {
	defer close(s.done)
	for range s.want {
		select {
		case <-time.After(moment):
		case <-s.ends:
		}
		if err := s.now(); err != nil {
			s.done <- err
			return
		}
	}
}

// now syncs the file and, the first time, the folder with its name (fsync(2)).
func (s *Syncer) now() error {
	if !s.name {
		safefile.SyncFolder(filepath.Dir(s.f.Name()))
		s.name = true
	}
	return s.f.Sync()
}

// Before syncs what must be on the disk before it is passed on.
func (s *Syncer) Before() error {
	if s.line {
		return s.now()
	}
	return nil
}

// After asks for a sync after an event that ends a step, and returns the error of an
// earlier sync. Requests while a sync is running become one.
func (s *Syncer) After(typ string) error {
	if s.want == nil || (typ != "response" && typ != "tool_result" && typ != "summary") {
		return nil
	}
	select {
	case err := <-s.done:
		return err
	// A full channel means that a sync which begins later is asked for already.
	case s.want <- struct{}{}:
	default:
	}
	return nil
}

// Close waits for the last sync and returns its error.
func (s *Syncer) Close() error {
	if s.want == nil {
		return nil
	}
	close(s.want)
	close(s.ends)
	return <-s.done
}
