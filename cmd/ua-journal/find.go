package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// isPath says whether an operand names a file or folder rather than a run.
func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".jsonl")
}

// locate is the path of the journal that an operand means: a run's, a file, or
// the audit log.
func locate(name string) (string, error) {
	if name == "audit" {
		return auditPath(), nil
	}
	if isPath(name) {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return filepath.Join(name, "journal.jsonl"), nil
		}
		return name, nil
	}
	r, err := run.Find(name)
	return r.Journal(), err
}

// operand is the one operand that a verb takes, "last" when there is none.
func operand(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "last", nil
	case 1:
		return args[0], nil
	}
	return "", prog.Errorf(prog.Trouble, "%q: one run at a time", args[1])
}

// openRun opens the journal that the operands name.
func openRun(args []string) (j *os.File, size int64, err error) {
	name, err := operand(args)
	if err != nil {
		return nil, 0, err
	}
	path, err := locate(name)
	if err != nil {
		return nil, 0, err
	}
	return openJournal(path)
}

// openJournal opens the journal at path for reading, with its size now. A line
// that is just being written is left for later.
func openJournal(path string) (j *os.File, size int64, err error) {
	if j, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
		return nil, 0, err
	}
	info, err := j.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = prog.Errorf(prog.Trouble, "%q: not a regular file", path)
	}
	if err != nil {
		j.Close()
		return nil, 0, err
	}
	size, err = wholeLines(j, info.Size())
	return j, size, err
}

// wholeLines is size, or what is whole of it while a process writes the journal.
func wholeLines(j *os.File, size int64) (int64, error) {
	last := make([]byte, 1)
	if size == 0 {
		return 0, nil
	}
	if _, err := j.ReadAt(last, size-1); err != nil || last[0] == '\n' || holder(j) == 0 {
		return size, err
	}
	return lastNewline(j, 0, size)
}

// locateAll is the journals that the operands mean, the last run's when there
// are none: for the audit log all its files, oldest first.
func locateAll(args []string) (paths []string, err error) {
	if len(args) == 0 {
		args = []string{"last"}
	}
	for _, name := range args {
		path, err := locate(name)
		if err != nil {
			return nil, err
		}
		if name == "audit" {
			old, err := aside(path)
			if err != nil {
				return nil, err
			}
			paths = append(paths, old...)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// allRuns is the journals of all runs of the user and their subagents, oldest
// first.
func allRuns() (paths []string, err error) {
	runs, err := run.List(run.Root())
	if err != nil {
		return nil, err
	}
	return journals(runs)
}

// journals is the journals of runs and their subagents.
func journals(runs []run.Run) (paths []string, err error) {
	for i := len(runs) - 1; i >= 0; i-- {
		if info, err := os.Lstat(runs[i].Journal()); err == nil && info.Mode().IsRegular() {
			paths = append(paths, runs[i].Journal())
		}
		children, err := runs[i].Children()
		if err != nil {
			return nil, err
		}
		below, err := journals(children)
		if err != nil {
			return nil, err
		}
		paths = append(paths, below...)
	}
	return paths, nil
}
