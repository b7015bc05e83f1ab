package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
	"ua/internal/common/remove"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
)

// pruneVerb removes old runs, or with --outputs only their complete outputs, of which the
// journal has a part. A run that is being written, or one of whose subagents is, stays.
func pruneVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	age := time.Duration(-1)
	fs.Func("older", "", func(text string) (err error) {
		age, err = parseAge(text)
		return err
	})
	outputs := fs.Bool("outputs", false, "")
	dry := fs.Bool("dry-run", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return prog.Errorf(prog.Trouble, "%q: prune takes no operand",
			fs.Arg(0)).Hintf("--older AGE chooses the runs")
	}
	if age < 0 {
		return prog.Errorf(prog.Trouble,
			"prune: no age given").Hintf("--older 30d removes runs that ended more than 30 days ago")
	}
	runs, err := run.List(run.Root())
	if err != nil {
		return err
	}
	p := pruner{before: time.Now().Add(-age), dry: *dry}
	verb := "removed"
	if *dry {
		verb = "would remove"
	}
	for _, r := range runs {
		release, busy, err := p.claim(r)
		if err != nil {
			warn(env, r.Dir)(err)
			continue
		}
		if busy {
			continue
		}
		dirs := []string{r.Dir}
		if *outputs {
			dirs = nil
			_ = eachBelow(r, func(r run.Run) error {
				dirs = append(dirs, filepath.Join(r.Dir, run.OutFolder))
				return nil
			})
		}
		var freed int64
		for _, dir := range dirs {
			freed += remove.Size(dir)
			if !*dry {
				err = errors.Join(err, remove.All(dir))
			}
		}
		release()
		if err != nil {
			return err
		}
		// With --outputs a run without any is not worth a line.
		if freed > 0 || !*outputs {
			env.Outf("%s %s  %sB\n", verb, r.ID, style.Count(freed))
		}
	}
	return nil
}

// parseAge parses 30d, or a duration as Go writes it.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, errors.New("want an age such as 30d or 12h")
	}
	return age, nil
}

// A pruner looks for runs that nobody has written since a time. A dry one locks nothing.
type pruner struct {
	before time.Time
	dry    bool
}

// claim locks the journals of a run and of its subagents, so that none can be resumed
// while it is removed. release closes them. A run is busy if it, or a subagent, is being
// written or was written since the time; from there on nothing is locked.
func (p pruner) claim(r run.Run) (release func(), busy bool, err error) {
	var held []*os.File
	release = func() {
		for _, f := range held {
			f.Close()
		}
	}
	err = eachBelow(r, func(r run.Run) error {
		if busy {
			return nil
		}
		info, err := os.Lstat(r.Journal())
		if busy = err == nil && p.isYoung(info); busy {
			return nil
		}
		f, err := p.open(r.Journal())
		switch {
		case noJournal(err): // a run that never began
			info, err = os.Stat(r.Dir)
		case err != nil:
			return err
		case f == nil: // somebody writes it
			busy = true
			return nil
		default:
			held = append(held, f)
			info, err = f.Stat()
		}
		busy = err == nil && p.isYoung(info)
		return err
	})
	if err != nil || busy {
		release()
	}
	return release, busy, err
}

// isYoung reports whether a file was written since the time.
func (p pruner) isYoung(info fs.FileInfo) bool { return info.ModTime().After(p.before) }

// open opens a journal, nil if somebody writes it, and locks it unless the pruner is dry.
func (p pruner) open(path string) (*os.File, error) {
	if !p.dry {
		return store.Claim(path)
	}
	j, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	if _, written := runfolder.Holder(j); written {
		j.Close()
		return nil, nil
	}
	return j, nil
}

// noJournal reports whether err means that there is no journal that could be written:
// there is none, or a command has put something else in its place, such as a link or a
// FIFO.
func noJournal(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) ||
		errors.Is(err, syscall.EISDIR)
}
