package classify

import (
	"path"
	"slices"
	"strings"
)

// formatters write files anew and put no code into them.
const formatters = " gofmt gofumpt goimports golines gci shfmt prettier black isort " +
	"autopep8 yapf ruff rustfmt " +
	"clang-format stylua ocamlformat dprint biome eslint rubocop docformatter autoflake " +
	"csharpier ktlint " +
	"dos2unix unix2dos "

// alarmWords are words that a substitution may not put into source which is built or tested after
// it: by them code runs programs, loses files, talks to others or loads more.
var alarmWords = regex{text: `(?i)exec|system|popen|spawn|eval|remove|unlink|rmtree|\brm\b|` +
	`delete|kill|` +
	`sudo|curl|wget|https?:|sock|\bnet\b|import|require|include|load|process|shell|\bsh\b|bash|` +
	`\bos\b|\bio\b|\bfs\b|file|open|write|chmod|env|secret|token|passw|command|unsafe|ffi|asm|` +
	"macro|define|hook|script|\\$\\(|[`|\\x00]"}

// mildEdit reports whether what the program writes into its files puts no code there that could do
// anything: a formatter's work, or a short substitution in source that stands in the command.
func (a *argv) mildEdit() bool {
	if inList(formatters, a.row.name) || inList(formatters, a.name) {
		return true
	}
	if a.name != "sed" && a.name != "gsed" && a.name != "perl" || !a.flagged("-i", "--in-place") {
		return false
	}
	long, files := 0, a.operands
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-") && len(wd.text) < 6 {
			continue
		}
		if long += len(wd.text); long > 300 || !wd.plain() {
			return false
		}
	}
	for _, u := range a.used {
		if u.value == isCode && alarms(u.val.text) {
			return false
		}
	}
	if !a.runs() && len(files) > 0 {
		if alarms(files[0].text) {
			return false
		}
		files = files[1:]
	}
	return !slices.ContainsFunc(files, func(o word) bool {
		return !inList(sourceEnds, path.Ext(o.text)) || inList(ruleFiles, path.Base(o.text))
	})
}

// alarms reports whether a text has an alarm word, behind the letters of a tab or a line end too.
func alarms(text string) bool {
	return alarmWords.match(strings.NewReplacer(`\t`, " ", `\n`, " ", `\b`, " ").Replace(text))
}

const (
	sourceEnds = " .go .rs .c .h .cc .cpp .cxx .hpp .hh .java .kt .scala .py .rb .js .jsx " +
		".ts .tsx .mjs .cs .fs " +
		".swift .hs .ml .mli .ex .exs .erl .clj .lua .pl .pm .php .zig .nim .cr .d .dart " +
		".jl .r .R .css .scss .html " +
		".md .txt .rst "
	ruleFiles = " setup.py noxfile.py conftest.py tasks.py fabfile.py build.rs " +
		"sitecustomize.py manage.py " +
		"mix.exs extconf.rb conf.py "
)
