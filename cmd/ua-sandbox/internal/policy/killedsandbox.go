package policy

import (
	"path/filepath"
	"slices"
	"time"
)

// A Note is what the last look at protected files needs, for the case that the process
// which should take it is killed.
type Note struct {
	Began  time.Time
	Kept   bool // mounts kept the repositories that were there
	Write  []string
	Roots  []string // those that were searched for repositories
	Grants []string
	Absent []string
	Repos  []NotedRepo
	Trees  []string // of other systems of version control
}

// A NotedRepo is a git folder that existed, and its working tree.
type NotedRepo struct{ Dir, Tree string }

// Note returns what a later process has to know. kept says whether mounts protect what
// existed, which depends on the tier.
func (p *Policy) Note(kept bool) *Note {
	n := &Note{Began: p.began, Kept: kept, Write: p.Write, Grants: p.Grants, Absent: p.Absent,
		Trees: p.trees}
	for _, f := range p.folders {
		if slices.Contains(p.Write, f.path) {
			n.Roots = append(n.Roots, f.path)
		}
	}
	for _, path := range p.rest {
		if slices.Contains(p.Write, path) {
			n.Roots = append(n.Roots, path)
		}
	}
	for _, r := range p.repos {
		n.Repos = append(n.Repos, NotedRepo{r.dir, r.tree})
	}
	return n
}

// Made returns the protected paths that did not exist when the command began, were created
// since, and still exist.
func (n *Note) Made() (list []string) {
	for _, path := range n.Absent {
		if now := stampAt(path); now != (stamp{}) && !now.before(n.Began) {
			list = append(list, path)
		}
	}
	return list
}

// Plants finds what was planted in repositories, as Policy.Plants does. It goes only by
// the times of changes, since the earlier contents of folders are no longer known. If the
// user has changed such a file since, it may be moved aside.
func (n *Note) Plants() (found []Plant, rest string) {
	h := newHunt(&Policy{Write: n.Write, Grants: n.Grants, began: n.Began, trees: n.Trees})
	for _, r := range n.Repos {
		h.p.repos = append(h.p.repos, repoSeen{dir: r.Dir, tree: r.Tree})
	}
	for _, root := range n.Roots {
		h.since(root)
	}
	for _, r := range n.Repos {
		h.modules(filepath.Join(r.Dir, "modules"), 4)
		h.links(r.Dir, r.Tree, linksAt(r.Dir))
	}
	if !n.Kept {
		h.p.repos = nil
		for _, r := range n.Repos {
			h.repository(r.Dir, r.Tree, true)
		}
	}
	return h.found, h.rest
}

// linksAt returns the gitlinks of an index. All count as old, so that in their
// repositories only what has changed since is looked at.
func linksAt(dir string) map[string]bool {
	r := seen(dir, "")
	if r.index == nil {
		return nil
	}
	defer r.index.Close()
	return r.old()
}

// since searches the folders below root: among the topmost ones those that have changed since
// the command began, as a first search does, and in those below them what has changed.
func (h *hunt) since(root string) {
	listed := 0
	for queue := []string{root}; len(queue) > 0 && listed < maxLast &&
		h.names < maxNames && !h.enough(queue[0]); queue = queue[1:] {
		c := h.l.look(queue[0])
		below := listed >= maxFolders
		listed++
		h.names += c.names
		if below || !c.stamp.before(h.p.began) {
			h.contents(c, below)
		}
		queue = append(queue, c.below...)
	}
}
