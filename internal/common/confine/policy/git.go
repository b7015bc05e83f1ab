package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// guarded are the files of a workspace that programs outside the sandbox run or
// obey; strict makes them read-only.
var guarded = []string{".git/hooks", ".git/config", ".git/config.worktree", ".git/info", ".gitmodules", ".envrc", ".vscode", ".idea", ".mcp.json", ".claude"}

// git lets a linked worktree commit: the parts of the main repository that a
// commit writes become writable, its hooks and settings don't. In strict mode
// it guards the workspace's own.
func (p *Policy) git() {
	if p.Profile == "none" || !p.Writable(p.Dir) {
		return
	}
	if common, own, ok := worktree(p.Dir); ok {
		for _, part := range []string{filepath.Join(common, "objects"), filepath.Join(common, "refs"), filepath.Join(common, "logs"), own} {
			// A link among them could lead anywhere.
			if real, err := existing(part); err == nil && real == part && !p.Writable(real) {
				p.Write, p.Grants = append(p.Write, real), append(p.Grants, real)
			}
		}
		p.protect(filepath.Join(own, "gitdir"), filepath.Join(own, "commondir"), filepath.Join(own, "config.worktree"))
	}
	if !p.Strict {
		return
	}
	for _, name := range guarded {
		p.protect(filepath.Join(p.Dir, name))
	}
}

// protect makes paths read-only: the existing ones by a mount, the others by a
// look at the end of the run.
func (p *Policy) protect(paths ...string) {
	for _, path := range paths {
		real, err := existing(path)
		if err != nil {
			p.Missing = append(p.Missing, path)
		} else if !slices.Contains(p.Protect, real) {
			p.Protect = append(p.Protect, real)
		}
	}
}

// worktree finds the main repository's folder and the worktree's own one when
// dir is a linked worktree. The pointer file in dir could be forged by an
// earlier command, so it counts only when the repository points back to it and
// neither lies where such a command could have put it.
func worktree(dir string) (common, own string, ok bool) {
	pointer := filepath.Join(dir, ".git")
	to, found := strings.CutPrefix(line(pointer), "gitdir:")
	if !found {
		return "", "", false
	}
	own = strings.TrimSpace(to)
	if !filepath.IsAbs(own) {
		own = filepath.Join(dir, own)
	}
	own, err := filepath.EvalSymlinks(own)
	if err != nil || filepath.Base(filepath.Dir(own)) != "worktrees" || Under(own, dir) {
		return "", "", false
	}
	common = filepath.Dir(filepath.Dir(own))
	back := line(filepath.Join(own, "gitdir"))
	if !filepath.IsAbs(back) {
		back = filepath.Join(own, back)
	}
	back, err = filepath.EvalSymlinks(back)
	if err != nil || back != pointer || filepath.Join(own, line(filepath.Join(own, "commondir"))) != common {
		return "", "", false
	}
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(common, part)); err != nil {
			return "", "", false
		}
	}
	return common, own, true
}

// line is the first line of a small file, or "".
func line(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 8192 {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}
