// Package policy says what a command may do: it resolves options and profiles
// into the paths, variables, hosts and limits that the layers enforce. It knows
// no kernel, so that every system and every test sees the same policy.
package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// Auto is the Tier of Options that lets ua-sandbox choose.
const Auto = -1

// Options are what the command line asks for.
type Options struct {
	Profile    string
	File       string // the profile file that was read, "" for none
	Write      []string
	Read       []string
	Deny       []string
	Protect    []string // read-only, whatever else is granted
	Sockets    []string
	Env        []string
	NetAllow   []string
	Inject     []string // HOST=VARIABLE[:HEADER]
	NetCapture bool
	NetWeak    bool
	Tmp        Tmp
	Limits     Limits
	Tier       int
	Strict     bool
	RootOK     bool
	Nested     bool
	Inside     bool // another sandbox of ours keeps the secrets already
	Quiet      bool
}

// Tmp says where TMPDIR is kept: a folder on disk that is removed at the end,
// memory, or a folder of the user's that stays.
type Tmp struct {
	Memory bool   `json:"memory,omitempty"`
	Dir    string `json:"dir,omitempty"`
}

// Network is how far a profile's network reaches.
type Network string

// The networks, narrow to wide.
const (
	NetOwn   Network = "own"   // a loopback of its own, nothing else
	NetProxy Network = "proxy" // the same, and the proxy on it
	NetHost  Network = "host"  // the machine's own network
)

// A Mask hides a path that exists.
type Mask struct {
	Path   string `json:"path"`
	Dir    bool   `json:"dir,omitempty"`
	Socket bool   `json:"socket,omitempty"` // or a folder of them
}

// A Policy is what a command may do. All paths are absolute and free of
// symbolic links.
type Policy struct {
	Profile verdict.Profile `json:"profile"`
	Dir     string          `json:"dir"`
	Home    string          `json:"home"`
	Write   []string        `json:"write"`
	Grants  []string        `json:"-"`       // those of Write that are not the profile's own
	Read    []string        `json:"read"`    // besides all that Masks leaves
	Masks   []Mask          `json:"masks"`   // secrets, --deny
	Sockets []string        `json:"sockets"` // Unix sockets of the host that may be connected to
	Missing []string        `json:"-"`       // denied paths that don't exist yet
	Protect []string        `json:"protect"` // read-only inside a writable folder
	Frozen  []string        `json:"-"`       // those of Protect that tier 2 keeps, too
	Guarded []string        `json:"-"`       // those of Protect that are put back without mounts
	Modes   []string        `json:"-"`       // whose access rights are put back, too
	Absent  []string        `json:"-"`       // guarded paths that are not there and must not be made
	Network Network         `json:"network"`
	Allow   []string        `json:"allow"`
	Capture bool            `json:"capture,omitempty"`
	Weak    bool            `json:"weak,omitempty"`
	Inject  []string        `json:"inject,omitempty"`
	Tmp     Tmp             `json:"tmp"`
	Limits  Limits          `json:"limits"`
	Strict  bool            `json:"strict,omitempty"`
	RootOK  bool            `json:"root_ok,omitempty"`
	Tier    int             `json:"tier"`

	tree    tree // as it was when the policy was worked out
	began   time.Time
	folders []folderSeen // that were searched for repositories
	repos   []repoSeen   // that were found
	trees   []string     // of other systems of version control, that were found
}

// Resolve returns the policy that o, which went through Expand, asks for in the
// working directory dir.
func Resolve(o Options, dir string) (*Policy, error) {
	p := &Policy{Profile: verdict.Profile(o.Profile), Home: home(), Network: NetOwn,
		Allow: o.NetAllow, Capture: o.NetCapture,
		Weak: o.NetWeak, Inject: o.Inject, Tmp: o.Tmp, Limits: o.Limits, Strict: o.Strict,
		RootOK: o.RootOK, Tier: o.Tier, began: time.Now()}
	var err error
	if p.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	if err := p.grant(o); err != nil {
		return nil, err
	}
	if err := p.hide(o); err != nil {
		return nil, err
	}
	p.git(o.Inside)
	if o.File != "" && p.Writable(p.tree.realOr(o.File)) {
		p.protect(o.File) // for the next run
	}
	if o.Inside { // the outer one's mounts hold
		return p, nil
	}
	p.strict()
	p.rules()
	p.Guarded = slices.Clone(p.Protect)
	if p.Profile != verdict.ProfileNone {
		p.startFiles()
	}
	defer func() { p.Protect = slices.DeleteFunc(p.Protect, p.hidden) }()
	for _, path := range o.Protect {
		real, err := p.tree.existing(path)
		if err != nil {
			return nil, fmt.Errorf("--protect %q: %w", path, err)
		}
		p.Modes = append(p.Modes, real)
		if p.Writable(real) {
			p.protect(path)
			p.Frozen = append(p.Frozen, real)
		}
	}
	return p, nil
}

// grant fills in what the profile and the options let the command do.
func (p *Policy) grant(o Options) (err error) {
	switch p.Profile {
	case verdict.ProfileReadOnly:
	case verdict.ProfileWorkspace:
		p.Write = []string{p.Dir}
	case verdict.ProfileNetwork:
		p.Write, p.Network = []string{p.Dir}, NetProxy
	case verdict.ProfileNone:
		p.Write, p.Network = []string{"/"}, NetHost
	}
	if len(o.NetAllow)+len(o.Inject) > 0 && p.Network == NetOwn {
		p.Network = NetProxy
	}
	for _, list := range []struct {
		option string
		from   []string
		to     *[]string
	}{{"--write", o.Write, &p.Write}, {"--read", o.Read, &p.Read},
		{"--socket", o.Sockets, &p.Sockets}} {
		for _, path := range list.from {
			real, err := p.tree.existing(path)
			if err == nil {
				err = p.Steady(path)
			}
			if err != nil {
				return fmt.Errorf("%s %q: %w", list.option, path, err)
			}
			if !slices.Contains(*list.to, real) {
				*list.to = append(*list.to, real)
			}
			if list.to == &p.Write {
				p.Grants = append(p.Grants, real)
			}
		}
	}
	if p.Tmp.Dir != "" {
		if err := p.Steady(p.Tmp.Dir); err != nil {
			return fmt.Errorf("--tmp %q: %w", p.Tmp.Dir, err)
		}
	}
	return nil
}

// Steady refuses a path with a symbolic link in a folder that the command may
// write: it, or the one before it, could turn the link to what is not meant. The
// working folder is one under every profile: the one before it may have had another.
func (p *Policy) Steady(path string) error {
	path = Absolute(path)
	for at := path; at != "/"; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if in, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil &&
			p.Profile != verdict.ProfileNone && (p.Writable(in) || confine.Under(in, p.Dir)) {
			return fmt.Errorf("%q is a symbolic link in a folder that the command may write", at)
		}
	}
	return nil
}

// hide fills in the masks: the secrets that no option asks for by name, and
// --deny, which nothing lifts. It refuses a policy under which the command could
// turn a symbolic link on the way to a secret elsewhere, and so have the next
// run hide the wrong place.
func (p *Policy) hide(o Options) error {
	t := &p.tree
	var asked []string
	for _, path := range slices.Concat(o.Read, o.Write) {
		asked = append(asked, Absolute(path), t.realOr(path))
	}
	var found []location
	if !o.Inside {
		found, p.Missing = secrets(t, p.Home)
	}
	for _, s := range found {
		if slices.Contains(asked, s.path) {
			continue
		}
		p.mask(t, s.path, false)
		if s.link == "" || p.Profile == verdict.ProfileNone ||
			slices.Contains(found, location{path: t.realOr(s.path)}) {
			continue // no link leads there, or what it leads to is hidden by its own name
		}
		if at, err := t.existing(filepath.Dir(s.link)); err == nil && p.Writable(at) {
			return fmt.Errorf("%q is a symbolic link to a secret, in a folder that the command may write",
				s.link)
		}
	}
	for _, path := range o.Deny {
		real := t.realOr(path)
		beneath := func(grant string) bool { return confine.Under(grant, real) }
		p.Grants = slices.DeleteFunc(p.Grants, beneath)
		p.Write, p.Read, p.Sockets = slices.DeleteFunc(p.Write, beneath),
			slices.DeleteFunc(p.Read, beneath), slices.DeleteFunc(p.Sockets, beneath)
		p.mask(t, Absolute(path), false)
		if _, err := os.Lstat(real); errors.Is(err, fs.ErrNotExist) {
			p.Missing = append(p.Missing, real)
		}
	}
	for _, m := range p.Masks {
		if confine.Under(p.Dir, m.Path) {
			return fmt.Errorf("the working directory %s can't be read (%s)", p.Dir, m.Path)
		}
	}
	if !o.Inside && p.Profile != verdict.ProfileNone {
		for _, path := range foreign() {
			p.mask(t, path, true)
		}
	}
	return nil
}

// mask adds what path leads to, unless it is a socket that was asked for, or a folder of
// sockets that is the working folder itself or was granted by name.
func (p *Policy) mask(t *tree, path string, socket bool) {
	first, ok := t.walk(path, "")
	if !ok {
		return
	}
	k := t.kind(path)
	if first != "" {
		var err error
		if path, err = t.existing(path); err == nil {
			k, err = lstat(path)
		}
		if err != nil {
			return
		}
	}
	if socket && slices.Contains(p.Shown(), path) ||
		slices.ContainsFunc(p.Masks, func(m Mask) bool { return m.Path == path }) {
		return
	}
	p.Masks = append(p.Masks, Mask{path, k == folder, socket})
}

// Shown returns what the command sees though a folder around it be masked.
func (p *Policy) Shown() []string {
	return slices.Concat(p.Write, p.Read, p.Sockets, []string{p.Dir})
}

// hidden reports whether a mask keeps the path, and nothing that is granted below
// the mask shows it.
func (p *Policy) hidden(path string) bool {
	return slices.ContainsFunc(p.Masks, func(m Mask) bool {
		return confine.Under(path, m.Path) &&
			!slices.ContainsFunc(slices.Concat(p.Write, p.Read),
				func(g string) bool { return confine.Under(path, g) && confine.Under(g, m.Path) })
	})
}

// Writable reports whether the command may write path.
func (p *Policy) Writable(path string) bool {
	return slices.ContainsFunc(p.Write, func(w string) bool { return confine.Under(path, w) })
}

// Absolute returns path with ~ as the user's home, made absolute.
func Absolute(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		path = filepath.Join(home(), path[1:])
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

func home() string {
	if h, err := os.UserHomeDir(); err == nil && filepath.IsAbs(h) {
		return filepath.Clean(h)
	}
	return "/"
}
