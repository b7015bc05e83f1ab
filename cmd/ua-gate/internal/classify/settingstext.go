package classify

import (
	"path"
	"strings"
)

// readsSettings reports whether a file of settings that the command has written only says how a
// tool looks at source: the tool is one that runs nothing of it, and no word names a plugin, a
// program or another file.
func (a *argv) readsSettings(file, text string) bool {
	program := a.name[strings.LastIndexByte(a.name, ' ')+1:]
	return inList(" .cfg .ini .toml .yaml .yml .json .yamllint ", path.Ext(file)) &&
		(inList(settingsOnly, program) || a.flagged("--syntax-check")) && !settingsRun.match(text)
}

// settingsOnly are tools that look at source by settings which, but for such words, run nothing.
const settingsOnly = " mypy pyright basedpyright flake8 ruff pylint black isort pycodestyle " +
	"pydocstyle bandit vulture tsc yamllint markdownlint codespell typos rustfmt clang-format " +
	"shellcheck sqlfluff hadolint vale tflint cspell biome dprint taplo golangci-lint " +
	"staticcheck ktlint detekt swiftlint swiftformat stylua selene luacheck actionlint " +
	"spectral checkov gitleaks "

// settingsRun finds in settings what may name code or a place.
var settingsRun = regex{text: `(?i)plug|module|require|extend|import|exec|command|cmd|script|` +
	`hook|load|preset|path|eval|shell|` +
	`python|file|url|http|program|compiler"|linker|wrapper|transform|pars(?:er|e_)|process|` +
	`reporter|formatter|runner|extension|` +
	`custom|provider|source|include:|\.\.?/|["'\s=:]/|~|\$[({]|\x60|!!|!\w`}
