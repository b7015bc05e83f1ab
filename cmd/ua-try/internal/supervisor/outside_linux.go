package supervisor

import (
	"cmp"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/syscalls"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/run"
	"ua/internal/common/tree"
)

// Limits of what is remembered of a command and told.
const (
	outsideMax = 4096    // paths outside of the covered folders
	changedMax = 1 << 18 // changed files: as many as a large repository has
)

// FewPaths is how many paths a person is shown.
const FewPaths = 4

// fewAddresses is how many of the addresses that a command has contacted are told.
const fewAddresses = 4

// A network is the first addresses that the command has contacted, in order.
type network struct {
	mu    sync.Mutex
	addrs []string
}

// add notes an address that is new, of the first few.
func (n *network) add(to netip.AddrPort) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if text := to.String(); len(n.addrs) < fewAddresses && !slices.Contains(n.addrs, text) {
		n.addrs = append(n.addrs, text)
	}
}

// list returns them.
func (n *network) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.addrs)
}

// An outside is what the command has written outside of the covered folders, as far as
// that can be known: the paths that it was about to make, change or remove, and what has
// become of them.
type outside struct {
	own   []string   // folders that are no concern of a person's
	began tree.Stamp // the command

	mu      sync.Mutex
	existed map[string]bool // by path, whether it was there before
	more    bool            // there was no room for others
}

// add notes a path before it is written to.
func (o *outside) add(path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.existed[path]; known || slices.ContainsFunc(append(o.own, ignoredFolders()...),
		func(dir string) bool { return confine.Under(path, dir) }) {
		return
	}
	if len(o.existed) >= outsideMax {
		o.forget()
	}
	if o.more = o.more || len(o.existed) >= outsideMax; o.more {
		return
	}
	// A sandbox's own /tmp is another than the one here, which counts.
	o.existed[path] = older(path, o.began)
}

// older reports whether a file was made before a time. Where the file system does not
// keep the time of birth, the ctime stands in for it.
func older(path string, than tree.Stamp) bool {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_CTIME|unix.STATX_BTIME,
		&st) != nil {
		return false
	}
	made := st.Ctime
	if st.Mask&unix.STATX_BTIME != 0 {
		made = st.Btime
	}
	return made.Sec*1e9+int64(made.Nsec) < int64(than)
}

// ignoredFolders returns folders that hold nobody's files, or what sandboxes keep for themselves.
func ignoredFolders() []string {
	return []string{"/proc", "/sys", "/dev/pts", "/dev/fd", run.SandboxNotes()}
}

// forget makes room: it forgets temporary files that are gone again.
func (o *outside) forget() {
	for path, existed := range o.existed {
		if f, err := tree.Lstat(path); !existed && err == nil && f == nil {
			delete(o.existed, path)
		}
	}
}

// list returns what was made, changed or removed, sorted. Folders stand for what is in
// them, so that the paths are few.
func (o *outside) list() (paths []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for path, existed := range o.existed {
		if o.changed(path, existed) {
			paths = append(paths, path)
		}
	}
	return commonFolders(paths)
}

// changed reports whether a path is different from before.
func (o *outside) changed(path string, existed bool) bool {
	f, err := tree.Lstat(path)
	switch {
	case err != nil, f == nil && !existed, f.IsFolder() && existed:
		return false
	}
	return f == nil && !sandboxTmp(path) || f != nil && f.Ctime >= o.began
}

// sandboxTmp reports whether a path is the private tmp of a sandbox, or in one. Each
// ua-sandbox removes those of sandboxes that were killed.
func sandboxTmp(path string) bool {
	tmp, err := filepath.EvalSymlinks(os.TempDir())
	rest, ok := strings.CutPrefix(path, tmp+"/"+run.SandboxTmp)
	return err == nil && ok && rest != ""
}

// commonFolders returns at most FewPaths paths that contain all the given ones, unless that needs
// folders near the root.
func commonFolders(paths []string) []string {
	paths = outermost(paths)
	for len(paths) > FewPaths {
		deepest := 0
		for _, p := range paths {
			deepest = max(deepest, strings.Count(p, "/"))
		}
		if deepest < 3 {
			break
		}
		for i, p := range paths {
			if strings.Count(p, "/") == deepest {
				paths[i] = filepath.Dir(p)
			}
		}
		paths = outermost(paths)
	}
	return paths
}

// outermost returns the paths sorted, without those inside of others.
func outermost(paths []string) (list []string) {
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		if !slices.ContainsFunc(list, func(o string) bool { return confine.Under(p, o) }) {
			list = append(list, p)
		}
	}
	return list
}

// A changed remembers which files of the covered folders the command was about to change.
type changed struct {
	layers []overlay.Open

	mu    sync.Mutex
	files map[try.Place]bool
}

// add notes a file before the command changes it. After changedMax files it notes no
// more, so that it is not known of those that they existed.
func (c *changed) add(cover int, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) >= changedMax {
		return
	}
	if c.files == nil {
		c.files = map[try.Place]bool{}
	}
	c.files[try.Place{Cover: cover, Path: tree.Name(path)}] = true
}

// deleted returns in order the noted files that their folders no longer have. The command
// writes to the upper layers, so somebody else has deleted them.
func (c *changed) deleted() (list []try.Place) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.files {
		if !syscalls.HasFile(c.layers[p.Cover].Lower, string(p.Path)) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b try.Place) int {
		return cmp.Or(a.Cover-b.Cover, cmp.Compare(a.Path, b.Path))
	})
	return list
}
