package agentloop

import (
	"errors"
	"io"
	"os"

	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/stage"
	"ua/internal/common/style"
)

// forkRun creates a run in the folder that begins as another run did, up to before its turn
// at, or with all of it if at is 0. The other run is not changed.
func forkRun(env *prog.Env, from run.Run, at int, folder string) (to run.Run, err error) {
	f, err := safefile.Open(from.Journal())
	if err != nil {
		return to, prog.Errorf(prog.Trouble, "%v", err)
	}
	defer f.Close()
	if to, err = run.New(folder); err != nil {
		return to, prog.Errorf(prog.Trouble, "the run's folder: %v", err)
	}
	whole := true
	// The copy has a new chain, so it is told where that of the original is broken.
	err = recordEvents(to, func(w io.Writer) error {
		return copyEvents(w, f, from, to, at, func() { whole = false })
	})
	if err != nil {
		os.RemoveAll(to.Dir)
	} else if !whole {
		warnOfChange(env, from)
	}
	return to, err
}

// warnOfChange tells that the run's journal is not as it was written. To go on with it is
// its owner's decision.
func warnOfChange(env *prog.Env, r run.Run) {
	env.Warnf("%s: its journal was changed by something else; see ua-journal verify %[1]s", r.ID)
}

// recordEvents has ua-journal append the events that feed writes to a run's journal.
func recordEvents(r run.Run, feed func(io.Writer) error) error {
	c, err := stage.Builtin("ua-journal", "append", r.Journal())
	if err != nil {
		return err
	}
	in, out, err := stage.Pipes()
	if err != nil {
		return err
	}
	defer out.R.Close()
	s, err := c.Start(in.R, out.W, nil)
	if err != nil {
		return err
	}
	err = feed(in.W)
	in.W.Close()
	<-s.Done()
	if status, how := s.Failure(); status != 0 {
		return prog.Errorf(prog.Trouble, "ua-journal %s", how)
	}
	return err
}

// copyEvents writes the events with which a fork begins. The run event gets the new ID
// and names the run that it comes from. Summaries are left out, since they are about the
// other run alone.
func copyEvents(w io.Writer, f io.Reader, from, to run.Run, at int, changed func()) error {
	out, events, turns := event.NewWriter(w), event.NewReader(f), 0
	trail := journal.Beginning()
	for {
		line, err := events.Next()
		var broken *event.Malformed
		torn := errors.As(err, &broken)
		if (err == nil || torn) && !trail.Holds(line, torn) {
			changed()
		}
		switch {
		case err == io.EOF && at > turns+1:
			return prog.Errorf(prog.Trouble, "--at %d: %s has %s", at, from.ID,
				style.Plural(int64(turns), "turn"))
		case err == io.EOF:
			return nil
		// A broken line is left behind.
		case torn:
			continue
		case err != nil:
			return prog.Errorf(prog.Trouble, "%s: %v", from.Journal(), err)
		}
		typ := event.Type(line)
		if typ == "turn" {
			if turns++; at > 0 && turns >= at {
				return nil
			}
		}
		if typ == "summary" {
			continue
		}
		// Media lie in files of the other run's folder; the line takes their data along.
		if line, err = journal.Embed(journal.Bare(line), from.Dir); err != nil {
			return prog.Errorf(prog.Trouble, "%s: %v", from.Journal(), err)
		}
		if typ == "run" {
			line, _ = sjson.SetBytes(line, "id", to.ID)
			line, _ = sjson.SetBytes(line, "fork", from.ID)
		}
		if err := out.Write(line); err != nil {
			return prog.Errorf(prog.Trouble, "%s: %v", to.Journal(), err)
		}
	}
}
