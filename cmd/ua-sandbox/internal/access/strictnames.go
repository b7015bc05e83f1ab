package access

import (
	"path/filepath"

	"ua/internal/common/secret"
)

// strictNames lists the names in a workspace that editors, agents, shells, hook managers and
// package managers run or obey by themselves. strict makes them read-only.
const strictNames = `
.git/info .gitmodules .gitattributes .githooks .git-hooks .husky .huskyrc .huskyrc.json
.pre-commit-config.yaml prek.toml .overcommit.yml .simple-git-hooks.json simple-git-hooks.json
lefthook.yml lefthook.yaml lefthook.toml lefthook.json .lefthook.yml .lefthook.yaml .lefthook.toml
.lefthook.json lefthook-local.yml .lefthook-local.yml .config/lefthook.yml .lefthook hk.pkl
.lintstagedrc .lintstagedrc.json .lintstagedrc.yml .lintstagedrc.yaml .lintstagedrc.js
captainhook.json .rusty-hook.toml .gitlab-ci.yml .circleci .travis.yml .gitpod.yml
.github/workflows .github/actions .github/hooks .github/agents .github/skills .github/prompts
.github/instructions .github/chatmodes .github/copilot-instructions.md
.envrc .direnv .tool-versions .mise.toml mise.toml .mise mise .mise.local.toml mise.local.toml
.config/mise .config/mise.toml .miserc.toml .rtx.toml .prototools .sdkmanrc .autoenv
.autoenv.zsh devbox.json
.vscode .idea .zed .fleet .vs .theia .devcontainer .devcontainer.json .nvim .nvim.lua .nvimrc
.vimrc .exrc .lvimrc .local.vimrc .dir-locals.el .dir-locals-2.el .helix .ycm_extra_conf.py
.luarc.json .luarc.jsonc rust-analyzer.toml .externalToolBuilders .solargraph.yml
.gdbinit .lldbinit .pdbrc .irbrc .pryrc .rdbgrc .Rprofile .Renviron .ghci .iex.exs .ocamlinit
.perldb .ackrc .ctags.d .ctags .tmux.conf .screenrc .tmuxinator.yml
.mcp.json .claude .claude-plugin CLAUDE.md CLAUDE.local.md .codex AGENTS.md AGENTS.override.md
AGENT.md .agents .agent .cursor .cursorrules .cursorignore .gemini GEMINI.md .continue
.windsurf .windsurfrules .cline .clinerules .roo .roomodes .roorules .opencode opencode.json
opencode.jsonc .crush .crush.json crush.json CRUSH.md .aider.conf.yml .goose .goosehints .kiro
.amazonq .junie .augment .augment-guidelines .qwen QWEN.md .factory .trae .kilocode .openhands
.amp .copilot .warp WARP.md .rules
.npmrc .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml .yarnrc .yarnrc.yml .yarn .bunfig.toml
bunfig.toml .corepack.env .cargo rust-toolchain rust-toolchain.toml pip.conf uv.toml poetry.toml
pdm.toml .pdm-python .condarc .bazelrc .bazeliskrc .bazelversion user.bazelrc tools/bazel
.buckconfig .buckconfig.local pants.toml .pants.rc .pants.bootstrap .bundle .gemrc .mvn
gradle/wrapper gradle.properties .sbtopts .jvmopts .scala-build NuGet.config nuget.config
.config/dotnet-tools.json auth.json .luarocks`

// maxStrict is how many working trees have these names protected.
const maxStrict = 64

// strict protects these names if the profile or --strict asks for it, in the working folder
// and at the top of each repository in it, which people open as a project of its own.
func (p *Policy) strict() {
	if !p.Strict || !p.Writable(p.Dir) {
		return
	}
	tops := []string{p.Dir}
	for _, r := range p.repos {
		if r.tree != r.dir && r.tree != p.Dir && p.Writable(r.tree) && len(tops) < maxStrict {
			tops = append(tops, r.tree)
		}
	}
	for _, top := range tops {
		for _, name := range secret.Fields(strictNames) {
			path := filepath.Join(top, name)
			if _, err := p.tree.existing(path); err == nil {
				p.keepReadOnly(path)
			} else {
				p.absent(path)
			}
		}
	}
}
