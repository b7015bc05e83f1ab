package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A mode is a situation that has decisions of its own.
type mode int

const (
	unattended mode = iota // nobody to ask, in our sandbox
	attended               // a person to ask, in our sandbox
	unconfined             // no sandbox of ours: a live shell, another agent
)

// modeNames are the modes' tables in a policy, by mode.
var modeNames = [...]string{"unattended", "attended", "unconfined"}

// decisions says what becomes of a command of each level.
type decisions [verdict.Denied + 1]verdict.Decision

// A policy is what the policy files say together (ua-policy(5)).
type policy struct {
	levels    [len(modeNames)]decisions // by mode
	try       decisions                 // in a try, where set, in place of those
	tryAtMost decisions                 // as the projects tighten them
	rules     []rule                    // in the order of the files
	hooks     map[string][]hook         // by the name of what they are asked about or told of
	judge     *judge                    // nil if there is none
	workspace []string
	rows      []*classify.Table // of the user's files; the highest level counts
	projects  []*classify.Table // of the projects', which can only raise it
}

// A rule decides on the parts of a command that one of its patterns and one of
// its rows matches, where it has both.
type rule struct {
	decision   verdict.Decision
	patterns   []*classify.Pattern
	rows       []string // globs over the rows that parts have
	reason     string
	where      string   // "policy.toml:14"
	match, not []string // its own examples
}

// hookNames returns what hooks can be asked about or told of.
func hookNames() []string {
	return []string{
		"pre_exec", "post_exec", "session_start", "session_end", "subagent_start", "subagent_stop",
	}
}

// A hook is a program that is asked before a command may run, or about what its
// result was, or told of a session's or a subagent's start and end.
type hook struct {
	argv    []string
	timeout time.Duration
	onError verdict.Decision
	where   string
}

// A judge is a program that asks a model about a command.
type judge struct {
	argv    []string
	timeout time.Duration
	onError verdict.Decision
	from    verdict.Level // the lowest level that it sees
	mode    string        // what an objection does: warn, block, or "" for what suits who is there
}

// defaults returns the decisions where no policy says otherwise.
func defaults() (levels [len(modeNames)]decisions) {
	unasked := [...]verdict.Level{
		unattended: verdict.Network, attended: verdict.Write, unconfined: verdict.ReadOnly,
	}
	for m := range levels {
		for l := range levels[m] {
			switch {
			case verdict.Level(l) <= unasked[m]:
				levels[m][l] = verdict.Allow
			case verdict.Level(l) == verdict.Denied || mode(m) == unattended:
				levels[m][l] = verdict.Deny
			default:
				levels[m][l] = verdict.Ask
			}
		}
	}
	return levels
}

// decisions returns those of the mode, in a try or not.
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

// userPolicy reads the user's policy, then the named files, which add to it.
func userPolicy(named []string) (*policy, error) {
	p := &policy{levels: defaults()}
	user := filepath.Join(config.Dir(), "policy.toml")
	for i, path := range append([]string{user}, named...) {
		err := p.addFile(path)
		if err != nil && (i > 0 || !missing(err)) {
			return nil, err
		}
	}
	return p, nil
}

// in returns the policy with those of the projects that dirs lie in, which can only
// tighten it. warn is told of what a project's policy may not say.
func (p *policy) in(dirs []string, warn func(string, ...any)) (*policy, error) {
	here := *p
	here.rules, here.projects = slices.Clip(p.rules), slices.Clip(p.projects)
	for _, path := range projectFiles(dirs) {
		if err := here.tighten(path, warn); err != nil {
			return nil, err
		}
	}
	return &here, nil
}

// maxPolicy is how many bytes a policy file may have.
const maxPolicy = 1 << 20

// addFile adds what the policy file says.
func (p *policy) addFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %w", path, cause(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPolicy+1))
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %w", path, cause(err))
	}
	if len(text) > maxPolicy {
		return prog.Errorf(prog.Trouble, "%s: longer than 1 MiB", path)
	}
	return p.add(path, string(text))
}

// smooth makes no level freer than those below it: a command is as high as the
// highest of its parts, so a gap would let a lower one through.
func (d *decisions) smooth() {
	for l := range d[1:] {
		d[l+1] = stricter(d[l+1], d[l])
	}
}

func stricter(a, b verdict.Decision) verdict.Decision {
	if strictness(a) > strictness(b) {
		return a
	}
	return b
}

// upto returns the highest level that is allowed without a word, -1 if none is.
func (d *decisions) upto() verdict.Level {
	return verdict.Level(slices.IndexFunc(d[:],
		func(x verdict.Decision) bool { return x != verdict.Allow }) - 1)
}

// projectFiles returns the policies of the projects that dirs lie in, each once. All
// count, so that no folder below can free itself of one above.
func projectFiles(dirs []string) (paths []string) {
	for _, dir := range dirs {
		for ; dir != ""; dir = filepath.Dir(dir) {
			path := filepath.Join(dir, ".ua", "policy.toml")
			if _, err := os.Lstat(path); !missing(err) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return paths
}

// missing reports whether the error of a path means that nothing is there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// tighten adds what a project's policy may say, and warns of the rest. It
// starts no program for it: what a project's files name, its model may have
// written.
func (p *policy) tighten(path string, warn func(string, ...any)) error {
	var own policy
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return prog.Errorf(prog.Trouble, "%s: not a regular file", path) // a FIFO would hang the gate
	}
	if err := own.addFile(path); err != nil {
		return err
	}
	refuse := func(there bool, what string) {
		if there {
			warn("%s: a project's policy can't %s; ignored", path, what)
		}
	}
	for m := range p.levels {
		for l, d := range own.levels[m] {
			refuse(d != "" && strictness(d) < strictness(p.levels[m][l]),
				"free the level "+verdict.Level(l).String())
			if d != "" {
				p.levels[m][l] = stricter(d, p.levels[m][l])
			}
		}
	}
	for l, d := range own.try {
		refuse(d == verdict.Allow && p.try[l] != verdict.Allow,
			"free the level "+verdict.Level(l).String()+" in a try")
		if d != "" && d != verdict.Allow {
			p.tryAtMost[l] = stricter(d, p.tryAtMost[l])
		}
	}
	for _, r := range own.rules {
		refuse(r.decision == verdict.Allow, "allow")
		if r.decision != verdict.Allow {
			p.rules = append(p.rules, r)
		}
	}
	refuse(len(own.hooks) > 0, "name hooks")
	refuse(own.judge != nil, "name a judge")
	refuse(len(own.workspace) > 0, "widen the workspace")
	p.projects = append(p.projects, own.rows...)
	return nil
}

// cause returns the reason in an error of package os, without the operation and path
// that it names.
func cause(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}
