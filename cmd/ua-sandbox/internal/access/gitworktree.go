package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/confine"
)

// around returns the working tree of the repository of which the working folder is a part or a
// submodule, if the machine's temporary folder has it. Elsewhere it can be read anyway.
func (p *Policy) around() string {
	if p.tree.kind(filepath.Join(p.Dir, ".git")) == folder {
		return ""
	}
	for _, tmp := range []string{"/tmp", "/var/tmp"} {
		if !confine.Under(p.Dir, tmp) || p.Dir == tmp {
			continue
		}
		for at := filepath.Dir(p.Dir); at != tmp; at = filepath.Dir(at) {
			if k := p.tree.kind(filepath.Join(at, ".git")); k == folder || k == other {
				return at
			}
		}
	}
	return ""
}

// refs returns the folder below kind, "refs" or "logs", that a commit in the worktree
// with the state in own writes to.
func refs(common, kind, own string) string {
	branches := ownBranches(own)
	if branches == "" {
		return filepath.Join(common, kind)
	}
	if kind == "refs" {
		return filepath.Join(common, branches)
	}
	return filepath.Join(common, kind, branches)
}

// ownBranches returns the prefix of the refs that a worktree with the state in own may change,
// "" for all. One made by ua has a branch below ua/ and may write no other branch.
func ownBranches(own string) string {
	if strings.HasPrefix(line(filepath.Join(own, "HEAD")), "ref: "+uaBranches) {
		return uaBranches
	}
	return ""
}

const uaBranches = "refs/heads/ua/"

// worktree returns the folder of the main repository and the worktree's own folder, if
// dir is a linked worktree. An earlier command could have forged the pointer file in dir.
// It therefore counts only if the repository points back to it and neither lies where
// such a command could have written.
func worktree(dir string) (common, own string, ok bool) {
	pointer := filepath.Join(dir, ".git")
	own, found := leads(pointer)
	if !found {
		return "", "", false
	}
	own, err := filepath.EvalSymlinks(own)
	// A folder inside dir is one that a command could have made.
	if err != nil || filepath.Base(filepath.Dir(own)) != "worktrees" || confine.Under(own, dir) {
		return "", "", false
	}
	common = filepath.Dir(filepath.Dir(own))
	back, err := filepath.EvalSymlinks(from(own, line(filepath.Join(own, "gitdir"))))
	// Only the user's git writes the pointer back to the worktree.
	if err != nil || back != pointer ||
		filepath.Join(own, line(filepath.Join(own, "commondir"))) != common {
		return "", "", false
	}
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(common, part)); err != nil {
			return "", "", false
		}
	}
	return common, own, true
}

// leads returns the git folder to which a .git that is a file leads.
func leads(path string) (dir string, ok bool) {
	to, ok := strings.CutPrefix(line(path), "gitdir:")
	return from(filepath.Dir(path), strings.TrimSpace(to)), ok
}

// maxCovered is how many git folders are seen through overlays. In others, settings and hooks
// are read-only.
const maxCovered = 64

// GitFolders returns the git folders in which a command may work: those of repositories where
// it may write, and that of which the working folder is a linked worktree. Git folders inside
// of one belong to it.
func (p *Policy) GitFolders() (dirs []string) {
	if p.Shared != "" && p.ours(p.Shared) {
		dirs = append(dirs, p.Shared)
	}
	for _, r := range p.repos {
		within := func(dir string) bool { return confine.Under(r.dir, dir) }
		if slices.ContainsFunc(p.Grants, func(path string) bool { return confine.Under(path, r.dir) }) {
			continue // what is named can be written, and only that
		}
		if len(dirs) < maxCovered && p.Writable(r.dir) && !slices.ContainsFunc(dirs, within) &&
			p.ours(r.dir) {
			dirs = append(dirs, r.dir)
		}
	}
	return dirs
}

// ours reports whether a folder is a git folder (gitrepository-layout(5)), and the rules know
// all that git keeps there.
func (p *Policy) ours(dir string) bool {
	for name, want := range map[string]kind{"HEAD": other, "objects": folder, "refs": folder,
		"reftable": nothing, "objects/.git": nothing, "commondir": nothing} {
		if k, _ := lstat(filepath.Join(dir, name)); k != want {
			return false
		}
	}
	for _, name := range []string{"config", "index", "packed-refs", "logs"} {
		if k, _ := lstat(filepath.Join(dir, name)); k == link {
			return false
		}
	}
	return true
}

// Covered returns the policy for git folders that are seen through an overlay: what changes
// there is judged when it lands.
func (p *Policy) Covered(dirs []string) *Policy {
	c := *p
	c.covered = dirs
	under := func(path string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool { return confine.Under(path, dir) })
	}
	c.Protect = slices.DeleteFunc(slices.Clone(p.Protect), under)
	c.Absent = slices.DeleteFunc(slices.Clone(p.Absent), under)
	if c.Covers(p.Shared) {
		shared := func(path string) bool { return confine.Under(path, p.Shared) }
		c.Write = slices.DeleteFunc(slices.Clone(p.Write), shared)
		c.Grants = slices.DeleteFunc(slices.Clone(p.Grants), shared)
	}
	return &c
}

// Covers reports whether a git folder is seen through an overlay.
func (p *Policy) Covers(dir string) bool { return slices.Contains(p.covered, dir) }

// OwnBranch returns the prefix of the refs that may change in the git folder dir, "" for all.
func (p *Policy) OwnBranch(dir string) string {
	if _, own, ok := worktree(p.Dir); ok && dir == p.Shared {
		return ownBranches(own)
	}
	return ""
}
