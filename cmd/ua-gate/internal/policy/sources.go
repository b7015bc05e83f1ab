package policy

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// maxFile is how many bytes a policy file may have.
const maxFile = 1 << 20

// New returns the policy that holds if no file says otherwise.
func New() *Policy { return &Policy{levels: Defaults()} }

// User returns the user's policy with the named files, which add to it.
func User(named []string) (*Policy, error) {
	p := New()
	err := p.read(filepath.Join(xdg.Config(), "policy.toml"), led)
	if err != nil && !missing(err) {
		return nil, err
	}
	return p, p.addNamed(named...)
}

// Of returns the policy of one file alone.
func Of(path string) (*Policy, error) {
	p := New()
	return p, p.addNamed(path)
}

// addNamed adds what policy files say that the user has named, and which may be pipes.
func (p *Policy) addNamed(paths ...string) error {
	for _, path := range paths {
		if err := p.read(path, safefile.ReadNamed); err != nil {
			return err
		}
	}
	return nil
}

// led reads the regular file to which the path leads. In its place a command may have left
// a FIFO, for which the gate would wait.
func led(path string, limit int64) ([]byte, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	return safefile.Read(path, limit)
}

// read adds what open returns for the policy file.
func (p *Policy) read(path string, open func(string, int64) ([]byte, error)) error {
	text, err := open(path, maxFile)
	switch {
	case errors.Is(err, safefile.ErrTooLarge):
		return prog.Errorf(prog.Trouble, "%s: longer than 1 MiB", path)
	case err != nil:
		return prog.Errorf(prog.Trouble, "%s: %w", path, prog.Cause(err))
	}
	return p.Add(path, string(text))
}

// missing reports whether an error means that nothing is at the path.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// In returns the policy together with those of the projects around dirs, which can only
// tighten it. warn is called with what a project's policy may not say.
func (p *Policy) In(dirs []string, warn func(string, ...any)) (*Policy, error) {
	here := *p
	here.Rules, here.Projects = slices.Clip(p.Rules), slices.Clip(p.Projects)
	for _, path := range projectFiles(dirs) {
		if err := here.tighten(path, warn); err != nil {
			return nil, config.OfProject(err)
		}
	}
	return &here, nil
}

// projectFiles returns the policies of the projects around dirs, each once. All of them
// count, so that no folder can free itself from one above it.
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

// tighten adds what a project's policy may say, and warns of the rest. It starts no
// program for it: a model may have written what a project's files name.
func (p *Policy) tighten(path string, warn func(string, ...any)) error {
	var own Policy
	if err := own.read(path, led); err != nil {
		return err
	}
	refuse := func(there bool, what string) {
		if there {
			warn("%s: a project's policy can't %s; ignored", path, what)
		}
	}
	for m := range p.levels {
		for l, d := range own.levels[m] {
			refuse(d != "" && Strictness(d) < Strictness(p.levels[m][l]),
				"free the level "+verdict.Level(l).String())
			if d != "" {
				p.levels[m][l] = Stricter(d, p.levels[m][l])
			}
		}
	}
	for l, by := range own.closed {
		p.closed[l] = cmp.Or(p.closed[l], by)
	}
	for l, d := range own.try {
		refuse(d == verdict.Allow && p.try[l] != verdict.Allow,
			"free the level "+verdict.Level(l).String()+" in a try")
		if d != "" && d != verdict.Allow {
			p.tryAtMost[l] = Stricter(d, p.tryAtMost[l])
		}
	}
	for _, r := range own.Rules {
		refuse(r.Decision == verdict.Allow, "allow")
		if r.Decision != verdict.Allow {
			p.Rules = append(p.Rules, r)
		}
	}
	refuse(len(own.Hooks) > 0, "name hooks")
	refuse(own.Judge != nil, "name a judge")
	refuse(len(own.Workspace) > 0, "widen the workspace")
	p.Projects = append(p.Projects, own.Rows...)
	return nil
}
