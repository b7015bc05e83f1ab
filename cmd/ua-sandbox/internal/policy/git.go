package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/confine"
	"ua/internal/common/regular"
)

// strictly are the names in a workspace that editors, agents, shells and package
// managers run or obey; strict makes them read-only.
const strictly = `
.git/info .gitmodules .gitattributes .githooks .husky .pre-commit-config.yaml lefthook.yml
.lefthook.yml .overcommit.yml
.envrc .direnv .tool-versions .mise.toml mise.toml .vscode .idea .zed .devcontainer .nvim.lua
.nvimrc .vimrc .exrc .dir-locals.el
.gdbinit .lldbinit .mcp.json .claude CLAUDE.md .codex AGENTS.md .cursor .cursorrules .gemini
GEMINI.md .continue .windsurf .cline .roo
.opencode .crush .aider.conf.yml .github/workflows .github/copilot-instructions.md .gitlab-ci.yml
.npmrc .pnpmfile.cjs .yarnrc .yarnrc.yml .yarn .bunfig.toml bunfig.toml .cargo pip.conf .condarc
.bazelrc .bundle .irbrc .pryrc .Rprofile`

// git lets a linked worktree commit: the parts of the main repository that a
// commit writes become writable, its hooks and settings don't. What makes git
// run something is guarded in every repository that is there.
func (p *Policy) git(inside bool) {
	roots := slices.Clone(p.Write)
	if p.Profile == "none" || len(roots) == 0 {
		return
	}
	if common, own, ok := worktree(p.Dir); ok && p.Writable(p.Dir) {
		for _, part := range []string{filepath.Join(common, "objects"), refs(common, "refs", own),
			refs(common, "logs", own), own} {
			// A link among them could lead anywhere.
			if real, err := p.tree.existing(part); err == nil && real == part && !p.Writable(real) {
				p.Write, p.Grants = append(p.Write, real), append(p.Grants, real)
			}
		}
		p.guard(filepath.Join(own, "gitdir"), filepath.Join(own, "commondir"),
			filepath.Join(own, "config.worktree"))
	}
	if inside {
		return // the outer one's mounts hold
	}
	for _, root := range roots {
		if root != "/" {
			p.repositories(root)
		}
	}
	if p.Strict && p.Writable(p.Dir) {
		for _, name := range fields(strictly) {
			p.protect(filepath.Join(p.Dir, name))
		}
	}
}

// refs returns the folder below kind, refs or logs, that a commit in the worktree with the
// state in own writes to. A worktree that ua made has a branch below ua/: it gets no
// other one.
func refs(common, kind, own string) string {
	if strings.HasPrefix(line(filepath.Join(own, "HEAD")), "ref: refs/heads/ua/") {
		branches := filepath.Join(common, "refs/heads/ua")
		if kind == "logs" {
			branches = filepath.Join(common, "logs/refs/heads/ua")
		}
		return branches
	}
	return filepath.Join(common, kind)
}

// protect makes paths read-only: the existing ones by a mount, the others by a
// look at the end of the run.
func (p *Policy) protect(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		if err != nil {
			p.Missing = append(p.Missing, path)
			continue
		}
		if !slices.Contains(p.Protect, real) {
			p.Protect = append(p.Protect, real)
		}
		p.keepLink(path, real)
	}
}

// keepLink makes the symbolic link read-only by which a guarded path is reached,
// so that no other file takes its place.
func (p *Policy) keepLink(path, real string) {
	dir, err := p.tree.existing(filepath.Dir(path))
	if err != nil {
		return
	}
	if link := filepath.Join(dir, filepath.Base(path)); link != real && p.Writable(link) &&
		!slices.Contains(p.Protect, link) {
		p.Protect = append(p.Protect, link)
	}
}

// guard is protect for what the command could write, unless an option names it.
// What is not there must not be made. A link that leads in a circle is kept as it
// is: what takes its place would be obeyed.
func (p *Policy) guard(paths ...string) {
	for _, path := range paths {
		real, err := p.tree.existing(path)
		switch {
		case err == errCircle && !p.named(path):
			p.keepLink(path, "")
		case err != nil:
			p.absent(path)
		case p.Writable(real) && !p.named(real) && !p.named(path):
			p.protect(path)
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
	if err != nil || filepath.Base(filepath.Dir(own)) != "worktrees" || confine.Under(own, dir) {
		return "", "", false
	}
	common = filepath.Dir(filepath.Dir(own))
	back := line(filepath.Join(own, "gitdir"))
	if !filepath.IsAbs(back) {
		back = filepath.Join(own, back)
	}
	back, err = filepath.EvalSymlinks(back)
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

// line returns the first line of a small file, or "".
func line(path string) string {
	text, err := regular.Read(path, 8192)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(first)
}
