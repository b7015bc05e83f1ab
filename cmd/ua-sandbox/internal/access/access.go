// Package access says what a command may do. It resolves options and profiles into the
// paths, variables, hosts and limits that the layers enforce. It uses nothing of a
// kernel, so every system and every test sees the same policy.
package access

import (
	"slices"

	"ua/internal/common/confine"
	"ua/internal/common/gitrules"
	"ua/internal/common/verdict"
)

// Auto is the value of Options.Tier that lets ua-sandbox choose.
const Auto = -1

// Options holds what the command line asks for.
type Options struct {
	Profile    string
	File       string // the profile file that was read, "" for none
	Write      []string
	Grants     []string // as Write, if no symbolic link is in them
	Read       []string
	Deny       []string
	Protect    []string // read-only, whatever else is granted
	Sockets    []string
	Env        []string
	NetAllow   []string
	NetLive    bool     // the caller can list further hosts while the sandbox stands
	Inject     []string // HOST=VARIABLE[:HEADER]
	NetCapture bool
	Tmp        Tmp
	Limits     Limits
	Tier       int
	Strict     bool
	RootOK     bool
	Nested     bool
	Owners     Owners
	Inside     bool // another sandbox of ours keeps the secrets already
	Quiet      bool
}

// Owners are users and groups other than root to whom the workspace of a root belongs. The
// command may use their files as root may outside.
type Owners struct{ UIDs, GIDs []int }

// Any reports whether there are some.
func (w Owners) Any() bool { return len(w.UIDs)+len(w.GIDs) > 0 }

// Tmp says where TMPDIR is kept: in a folder on disk that is removed at the end, in
// memory, or in a folder of the user's that stays.
type Tmp struct {
	Memory bool   `json:"memory,omitempty"`
	Dir    string `json:"dir,omitempty"`
}

// Network says how far the network of a profile reaches.
type Network string

// The networks, narrow to wide.
const (
	NetOwn   Network = "own"   // a loopback of its own, nothing else
	NetProxy Network = "proxy" // the same, and the proxy on it
	NetHost  Network = "host"  // the machine's own network
)

// A Mask hides an existing path.
type Mask struct {
	Path   string `json:"path"`
	Dir    bool   `json:"dir,omitempty"`
	Socket bool   `json:"socket,omitempty"` // or a folder of them
}

// A Policy says what a command may do. All paths are absolute and without symbolic links.
type Policy struct {
	Profile verdict.Profile `json:"profile"`
	Dir     string          `json:"dir"`
	Home    string          `json:"home"`
	Write   []string        `json:"write"`
	Grants  []string        `json:"-"`       // those of Write that are not the profile's own
	Read    []string        `json:"read"`    // besides all that Masks leaves
	Masks   []Mask          `json:"masks"`   // secrets, --deny
	Sockets []string        `json:"sockets"` // Unix sockets of the host that may be connected to
	Protect []string        `json:"protect"` // read-only inside a writable folder
	Frozen  []string        `json:"-"`       // those of Protect that tier 2 keeps, too
	PutBack []string        `json:"-"`       // those of Protect that are put back without mounts
	Modes   []string        `json:"-"`       // whose access rights are put back, too
	Tops    []string        `json:"-"`       // homes that the command may write, but for hidden names
	Absent  []string        `json:"-"`       // protected paths that must not be made
	Shared  string          `json:"-"`       // of a linked worktree: the git folder of its repository
	covered []string        // git folders that are seen through an overlay
	Owners  Owners          `json:"-"` // whose files a root may use there
	Network Network         `json:"network"`
	Allow   []string        `json:"allow"`
	Capture bool            `json:"capture,omitempty"`
	Inject  []string        `json:"inject,omitempty"`
	Tmp     Tmp             `json:"tmp"`
	Limits  Limits          `json:"limits"`
	Strict  bool            `json:"strict,omitempty"`
	RootOK  bool            `json:"root_ok,omitempty"`
	Tier    int             `json:"tier"`

	tree     tree               // as it was when the policy was worked out
	devices  Devices            // which of them count folders
	searched int                // folders that were searched for repositories
	repos    []repoSeen         // that were found
	listed   int                // worktrees and modules of these
	userGit  []gitrules.Setting // of all repositories of the user

	allHomes []string        // see homes
	beside   map[string]bool // names in the folders around the working folder; see within
}

// A repoSeen is a git folder that existed when the policy was resolved, and its working tree.
type repoSeen struct{ dir, tree string }

// Existing returns where path leads, without symbolic links, or why it leads nowhere. Like
// IsDir it remembers what was found while the policy was resolved.
func (p *Policy) Existing(path string) (string, error) { return p.tree.existing(path) }

// IsDir reports whether a folder is at path, and not a link to one.
func (p *Policy) IsDir(path string) bool { return p.tree.kind(path) == folder }

// Writable reports whether the command may write path.
func (p *Policy) Writable(path string) bool {
	return slices.ContainsFunc(p.Write, func(w string) bool { return confine.Under(path, w) })
}

// Shown returns the paths that the command sees even if a folder around them is masked.
func (p *Policy) Shown() []string {
	return slices.Concat(p.Write, p.Read, p.Sockets, []string{p.Dir})
}

// hidden reports whether a mask covers the path and no grant below that mask shows it.
func (p *Policy) hidden(path string) bool {
	return slices.ContainsFunc(p.Masks, func(m Mask) bool {
		return confine.Under(path, m.Path) &&
			!slices.ContainsFunc(slices.Concat(p.Write, p.Read),
				func(g string) bool { return confine.Under(path, g) && confine.Under(g, m.Path) })
	})
}
