package policy

import (
	"path/filepath"

	"ua/internal/common/secret"
)

// strictNames lists the names in a workspace that editors, agents, shells and package
// managers run or obey. strict makes them read-only.
const strictNames = `
.git/info .gitmodules .gitattributes .githooks .husky .pre-commit-config.yaml lefthook.yml
.lefthook.yml .overcommit.yml
.envrc .direnv .tool-versions .mise.toml mise.toml .vscode .idea .zed .devcontainer .nvim.lua
.nvimrc .vimrc .exrc .dir-locals.el
.gdbinit .lldbinit .mcp.json .claude CLAUDE.md .codex AGENTS.md .cursor .cursorrules .gemini
GEMINI.md .continue .windsurf .cline .roo
.opencode .crush .aider.conf.yml .github/workflows .github/copilot-instructions.md .gitlab-ci.yml
.npmrc .pnpmfile.cjs .yarnrc .yarnrc.yml .yarn .bunfig.toml bunfig.toml .cargo pip.conf .condarc
.bazelrc .bundle .irbrc .pryrc .Rprofile`

// strict protects these names if the profile or --strict asks for it.
func (p *Policy) strict() {
	if !p.Strict || !p.Writable(p.Dir) {
		return
	}
	for _, name := range secret.Fields(strictNames) {
		p.keepReadOnly(filepath.Join(p.Dir, name))
	}
}
