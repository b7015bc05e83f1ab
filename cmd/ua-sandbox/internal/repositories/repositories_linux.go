// Package repositories has git folders seen through overlays, in which git works as anywhere,
// and lands what a command changes there.
package repositories

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/control"
	"ua/cmd/ua-sandbox/internal/guard"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/privatetmp"
	"ua/internal/common/gitrules"
	"ua/internal/common/remove"
)

// A Set is the git folders of repositories that exist when a command begins. What the command
// changes in them lands by the rules of package repository: when ua-exec asks for it, as a
// command of its own has ended, and at the end.
type Set struct {
	Ask     func(packet ...byte) bool // init for something, whether it is so
	Account *guard.Account            // of what was refused

	mu    sync.Mutex
	dir   string // with the folders that take the changes
	list  []*gitFolder
	fresh []string // what was refused and is not yet told to who asks
}

// New prepares overlays of the policy's repositories. There are none if no folder can be made
// that the command does not see.
func New(p *access.Policy) *Set {
	r, dirs := &Set{}, p.GitFolders()
	if len(dirs) == 0 {
		return r
	}
	slices.SortStableFunc(dirs, shorter) // init counts them as they are mounted
	if r.dir = privatetmp.Hidden(p); r.dir == "" {
		return r
	}
	for i, path := range dirs {
		g, err := newGitFolder(p, path, filepath.Join(r.dir, strconv.Itoa(i)))
		if err != nil {
			r.Drop()
			return &Set{}
		}
		r.list = append(r.list, g)
	}
	return r
}

// maxSaid is how many refusals are said one by one.
const maxSaid = 20

// Covers returns the paths of the git folders.
func (r *Set) Covers() (paths []string) {
	for _, g := range r.list {
		paths = append(paths, g.path)
	}
	return paths
}

// Mounts adds the overlays to the mounts of a view. Beneath each lies the git folder itself,
// read-only.
func (r *Set) Mounts(list []layer.Mount) []layer.Mount {
	for _, g := range r.list {
		for _, kind := range []layer.Kind{layer.ReadOnlyBind, layer.GitOverlay} {
			list = append(list, layer.Mount{Path: g.path, Kind: kind, Dir: true, Upper: g.dir})
		}
	}
	slices.SortStableFunc(list, func(a, b layer.Mount) int { return shorter(a.Path, b.Path) })
	return list
}

// shorter sorts paths so that those in a folder come after it.
func shorter(a, b string) int { return len(a) - len(b) }

// someOf shortens what was refused.
func someOf(refused []string) []string {
	if n := len(refused); n > maxSaid {
		return append(slices.Clip(refused[:maxSaid]), strconv.Itoa(n-maxSaid)+" more")
	}
	return refused
}

// land lands what has changed, and returns what was refused and not yet told.
func (r *Set) land() (refused []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.list {
		r.landOne(g, r.quiet)
	}
	refused, r.fresh = r.fresh, nil
	return refused
}

// refresh renews the overlays that are outdated if no command runs: one that runs could miss
// what it has just written.
func (r *Set) refresh(outdated func(*gitrules.Landing) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, g := range r.list {
		if outdated(g.Landing) {
			if !r.quiet() {
				return
			}
			r.landOne(g, nil)
			r.renewOne(i, g)
		}
	}
}

// renewOne renews the overlay of a git folder.
func (r *Set) renewOne(i int, g *gitFolder) {
	if !g.next && g.prepare(g.n+1) != nil {
		return
	}
	g.next = true
	back, err := g.begin(g.n + 1)
	if err != nil {
		return
	}
	n := g.n + 1
	renewed := r.Ask(control.AskRenew, byte(i), byte(n), byte(n>>8), byte(n>>16))
	back(!renewed)
	if renewed {
		g.drop(g.n)
		g.n, g.next, g.told = g.n+1, false, nil
	}
}

// quiet reports whether nothing runs but the command itself.
func (r *Set) quiet() bool { return r.Ask(control.AskQuiet) }

// landOne lands the changes of one git folder, and keeps in mind what is refused. quiet is
// asked whether no command runs, and is nil if that is known.
func (r *Set) landOne(g *gitFolder, quiet func() bool) {
	list, err := g.Land(quiet)
	if err != nil {
		list = append(list, gitrules.Refusal{Path: ".", Why: err.Error()})
	}
	for _, refusal := range list {
		refusal.Path = filepath.Join(g.path, refusal.Path)
		said := guard.Shown([]string{refusal.Path}) + " (" + guard.Shown([]string{refusal.Why}) + ")"
		if slices.Contains(g.told, said) || len(g.told) > maxSaid {
			continue
		}
		g.told, r.fresh = append(g.told, said), append(r.fresh, said)
		r.Account.Add(guard.NotTaken, refusal.Path, refusal.Why)
	}
}

// End lands what is left once nothing of the sandbox runs.
func (r *Set) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.list {
		r.landOne(g, nil)
		if g.next { // init may have begun to use it unheard
			if _, err := g.begin(g.n + 1); err == nil {
				r.landOne(g, nil)
			}
		}
	}
	r.Drop()
}

// Drop removes the folder with the changes.
func (r *Set) Drop() {
	for _, g := range r.list {
		g.drop(g.n)
	}
	if r.dir != "" {
		_ = remove.All(r.dir)
	}
}

// Serve does what is asked for on the socket: at "r" it renews what is outdated, and at "l" it
// lands. Who asks gets a line for each thing that was refused, and an empty one. It has started
// nothing before it asks for the first time, so what runs until then is the command itself.
// Without a repository nobody answers.
func (r *Set) Serve(socket *os.File) {
	defer socket.Close()
	if len(r.list) == 0 {
		return
	}
	for asked, before := make([]byte, 1), false; ; before = true {
		if n, err := socket.Read(asked); err != nil || n == 0 {
			return
		}
		if !before {
			r.Ask(control.AskOwn)
		}
		var refused []string
		if asked[0] == 'r' {
			r.refresh((*gitrules.Landing).Outdated)
		} else {
			refused = r.land()
		}
		answer := strings.Join(append(someOf(refused), ""), "\n") + "\n"
		if _, err := socket.WriteString(answer); err != nil {
			return
		}
		if asked[0] != 'r' {
			r.refresh((*gitrules.Landing).Changed) // while nobody waits
		}
	}
}
