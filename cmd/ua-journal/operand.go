package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
)

// isPath reports whether an operand names a file or a folder and not a run.
func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.HasSuffix(name, ".jsonl")
}

// locate returns the path of the journal that an operand means: that of a run, or a file.
func locate(name string) (string, error) {
	if name == auditLog {
		return "", prog.Errorf(prog.Trouble, "the audit log is built from the journals of all runs: "+
			"only cat and grep can show it")
	}
	if isPath(name) {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return filepath.Join(name, run.JournalFile), nil
		}
		return name, nil
	}
	r, err := runfolder.Find(run.Root(), name)
	return r.Journal(), err
}

// readable returns the path of the journal to read. A link that the user names is
// followed; inside a run's folder, where commands may have made them, none is.
func readable(name string) (string, error) {
	path, err := locate(name)
	if info, err := os.Lstat(name); err == nil && path == name && info.Mode()&os.ModeSymlink != 0 {
		path = safefile.Follow(name)
	}
	return path, err
}

// operand returns the only operand of a verb, or the last run without one.
func operand(args []string) (string, error) {
	switch len(args) {
	case 0:
		return run.Last, nil
	case 1:
		return args[0], nil
	}
	return "", prog.Errorf(prog.Trouble, "%q: one run at a time", args[1])
}

// parseAndOpen reads the options of a verb that reads one run, and opens its journal.
func parseAndOpen(
	env *prog.Env, fs *flag.FlagSet, args []string,
) (j *os.File, size int64, err error) {
	if err := env.Parse(fs, args, help); err != nil {
		return nil, 0, err
	}
	name, err := operand(fs.Args())
	if err != nil {
		return nil, 0, err
	}
	path, err := readable(name)
	if err != nil {
		return nil, 0, err
	}
	return store.Open(path)
}

// locateAll returns the journals that the operands mean, or that of the last run.
func locateAll(args []string) (paths []string, err error) {
	if len(args) == 0 {
		args = []string{run.Last}
	}
	for _, name := range args {
		path, err := readable(name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// allRuns returns the journals of all runs of the user and of their subagents, oldest
// first.
func allRuns() (paths []string, err error) {
	list, err := run.List(run.Root())
	if err != nil {
		return nil, err
	}
	return journals(list)
}

// journals returns the journals of runs and of their subagents. The runs are newest first, as
// run.List has them.
func journals(list []run.Run) (paths []string, err error) {
	for _, r := range slices.Backward(list) {
		err = errors.Join(err, eachBelow(r, func(r run.Run) error {
			if info, err := os.Lstat(r.Journal()); err == nil && info.Mode().IsRegular() {
				paths = append(paths, r.Journal())
			}
			return nil
		}))
	}
	return paths, err
}

// eachBelow calls do for a run and then for all below it, oldest first.
func eachBelow(r run.Run, do func(run.Run) error) error {
	err := do(r)
	children, err2 := r.Children()
	for _, child := range slices.Backward(children) {
		err = errors.Join(err, eachBelow(child, do))
	}
	return errors.Join(err, err2)
}

// withSubagents returns journals, behind each those of its run's subagents.
func withSubagents(paths []string) (all []string, err error) {
	for _, path := range paths {
		children, err := run.Run{Dir: filepath.Dir(path)}.Children()
		if err != nil {
			return nil, err
		}
		below, err := journals(children)
		if err != nil {
			return nil, err
		}
		all = append(append(all, path), below...)
	}
	return all, nil
}

// eachJournal opens journals, and calls do for each.
func eachJournal(paths []string, do func(j *os.File, size int64) error) error {
	for _, path := range paths {
		j, size, err := store.Open(path)
		if err != nil {
			return err
		}
		err = do(j, size)
		j.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// warn returns a function that reports lines of the journal at path that are no events. A
// subagent may have named that path, so it is escaped.
func warn(env *prog.Env, path string) func(error) {
	return func(err error) { env.Warnf("%s", style.Printable(path+": "+err.Error())) }
}
