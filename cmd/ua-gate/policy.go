package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// A policy is what all policy files say together (ua-policy(5)).
type policy struct {
	levels    [len(modeNames)]decisions  // by mode
	try       decisions                  // in a try, where set, in place of those
	tryAtMost decisions                  // as the projects tighten them
	closed    [verdict.Denied + 1]closed // what denies the levels that a file does
	rules     []rule                     // in the order of the files
	hooks     map[string][]hook          // by the name of what they are asked about or told of
	judge     *judge                     // nil if there is none
	workspace []string
	rows      []*classify.Table // of the user's files; the highest level counts
	projects  []*classify.Table // of the projects', which can only raise it
}

// A closed says which line of a file denies a level, and why if it says so.
type closed struct{ where, reason string }

// closes returns what denies a level: what denies one below it does so, too.
func (p *policy) closes(l verdict.Level) closed {
	for ; l > verdict.ReadOnly && p.closed[l].where == ""; l-- {
	}
	return p.closed[l]
}

// A rule decides on a part of a command that one of its patterns and one of its rows
// match. A rule may have only one of both. It is one table [[allow]], [[ask]] or [[deny]].
type rule struct {
	Pattern, Row stringList // rows are globs over those that parts have
	Reason       string
	Match, Not   stringList          // its own examples
	decision     verdict.Decision    `toml:"-"`
	patterns     []*classify.Pattern `toml:"-"`
	where        string              `toml:"-"` // "policy.toml:14"
}

// decisions returns the decisions of the mode, in a try or not.
func (p *policy) decisions(m mode, try bool) decisions {
	d := p.levels[m]
	for l := range d {
		if try && p.try[l] != "" {
			d[l] = p.try[l]
		}
		if try && p.tryAtMost[l] != "" {
			d[l] = stricter(d[l], p.tryAtMost[l])
		}
	}
	d.smooth()
	return d
}

// userPolicy reads the user's policy and then the named files, which add to it.
func userPolicy(named []string) (*policy, error) {
	p := &policy{levels: defaults()}
	err := p.addText(filepath.Join(xdg.Config(), "policy.toml"), led)
	if err != nil && !missing(err) {
		return nil, err
	}
	for _, path := range named {
		if err := p.addFile(path); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// led reads the regular file to which the path leads. In its place a command may have left
// a FIFO, for which the gate would wait.
func led(path string, limit int64) ([]byte, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return regular.Read(path, limit)
}

// addFile adds what the policy file says. The user has named it, and it may be a pipe.
func (p *policy) addFile(path string) error {
	return p.addText(path, regular.ReadNamed)
}

// addText adds what read returns for the policy file.
func (p *policy) addText(path string, read func(string, int64) ([]byte, error)) error {
	text, err := read(path, maxPolicy)
	switch {
	case errors.Is(err, regular.ErrTooLarge):
		return prog.Errorf(prog.Trouble, "%s: longer than 1 MiB", path)
	case err != nil:
		return prog.Errorf(prog.Trouble, "%s: %w", path, cause(err))
	}
	return p.add(path, string(text))
}

// missing reports whether an error means that nothing is at the path.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// cause returns the reason in an error of package os, without the operation and the path.
func cause(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}
