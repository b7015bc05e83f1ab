package classify

import (
	"path"
	"slices"
	"strings"
)

// formatters write files anew and put no code into them: programs, and commands of others.
const (
	formatters = " gofmt gofumpt goimports golines gci shfmt prettier black isort autopep8 " +
		"yapf ruff rustfmt clang-format stylua ocamlformat dprint biome eslint rubocop " +
		"docformatter autoflake csharpier ktlint dos2unix unix2dos swiftformat swift-format " +
		"scalafmt google-java-format ktfmt fantomas php-cs-fixer pint phpcbf perltidy " +
		"nimpretty elm-format ormolu fourmolu stylish-haskell hindent nixfmt alejandra " +
		"nixpkgs-fmt cabal-fmt erlfmt rufo rubyfmt stree standardrb cmake-format gersemi " +
		"buildifier jsonnetfmt hclfmt astyle uncrustify fprettify findent cljfmt zprint " +
		"pg_format sqlfluff sql-formatter sqlfmt taplo treefmt mdformat dfmt xmllint tidy " +
		"add-trailing-comma oxlint stylelint markdownlint markdownlint-cli2 djlint "
	formatCommands = ",mix format,cargo fmt,go fmt,dune fmt,dune format,zig fmt,dart format," +
		"dart fix,gleam format,deno fmt,crystal tool,swift format,dotnet format," +
		"terraform fmt,tofu fmt,packer fmt,opa fmt,cue fmt,buf format,meson format,muon fmt," +
		"nix fmt,v fmt,elm format,rebar3 fmt,ruff format,ruff check,uv format,forge fmt," +
		"cabal format,"
)

// alarmWords are words that a substitution may not put into source which is built or tested after
// it: by them code runs programs, loses files, talks to others or loads more.
var alarmWords = regex{text: `(?i)exec|system|popen|spawn|eval|remove|unlink|rmtree|\brm\b|` +
	`delete|kill|` +
	`sudo|curl|wget|https?:|sock|\bnet\b|import|require|include|load|process|shell|\bsh\b|bash|` +
	`\bos\b|\bio\b|\bfs\b|file|open|write|chmod|env|secret|token|passw|command|unsafe|ffi|asm|` +
	"macro|define|hook|script|\\$\\(|[`|\\x00]"}

// mildEdit reports whether what the program writes into its files puts no code there that could do
// anything: a formatter's work, or a short substitution that stands in the command.
func (a *argv) mildEdit() bool {
	if inList(formatters, a.row.name) || inList(formatters, a.name) ||
		strings.Contains(formatCommands, ","+a.name+",") ||
		a.name == "just" && a.flagged("--fmt") {
		return true
	}
	if a.name == "sd" && len(a.operands) > 2 {
		return a.mildScripts(a.operands[:2], a.operands[2:])
	}
	if a.name != "sed" && a.name != "gsed" && a.name != "perl" || !a.flagged("-i", "--in-place") {
		return false
	}
	if slices.ContainsFunc(a.operands, func(o word) bool { return shellInside(o.text) }) &&
		slices.ContainsFunc(a.words, func(wd word) bool {
			return strings.ContainsAny(wd.text,
				"\\ \t\n;&")
		}) {
		return false // a command may come into it
	}
	long := 0
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "-") && len(wd.text) < 6 {
			continue
		}
		if long += len(wd.text); long > 300 || !wd.plain() {
			return false
		}
	}
	var scripts []word
	files := a.operands
	for _, u := range a.used {
		if u.value == isCode {
			scripts = append(scripts, u.val)
		}
	}
	// Without -e the first operand is the script.
	if !a.runs() && len(files) > 0 {
		scripts, files = append(scripts, files[0]), files[1:]
	}
	return a.mildScripts(scripts, files)
}

// mildScripts reports whether short substitutions put nothing that could do anything into files
// of source. Those of sd(1) are a text to find and one to put in its place.
func (a *argv) mildScripts(scripts, files []word) bool {
	for _, script := range scripts {
		if alarms(script.text) || a.name != "sd" && !substitutesOnly(script.text) ||
			len(script.text) > 300 || !script.plain() {
			return false
		}
	}
	return !slices.ContainsFunc(files, func(o word) bool {
		return !inList(sourceEnds, path.Ext(o.text)) || inList(ruleFiles, path.Base(o.text))
	})
}

// editsInPlace is the rule for a file that a program writes which it reads.
func (a *argv) editsInPlace(file word) {
	a.p.add(writesHere, a.name, a.name+" writes what it reads")
	a.w.write(a.p, file, a.sc)
	a.w.overwrites(a.p, file, a.sc)
	if !a.mildEdit() {
		a.w.wroteFile(file.text, a.sc)
	}
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

// substitutesOnly reports whether a script of sed(1) or Perl, or the name of a file in its place,
// has no flag behind its last delimiter by which a line is run or written somewhere else.
func substitutesOnly(script string) bool {
	i := strings.LastIndexAny(script, "/|#,@!%")
	return strings.Trim(script[i+1:], "gIip0123456789;msx ") == "" && strings.Contains(script, "s") ||
		i >= 0 && strings.Contains(script[i:], ".") && !strings.ContainsAny(script, " ;") ||
		i < 0 && !strings.ContainsAny(script, " ")
}

// shellInside reports whether a file of that name has commands of a shell in it, or names
// programs.
func shellInside(file string) bool {
	return inList(" .sh .bash .zsh .fish .mk .json .yml .yaml .toml .cfg .ini .bats ",
		path.Ext(file)) ||
		strings.HasSuffix(path.Base(file), "file") || strings.HasPrefix(path.Base(file), "Dockerfile") ||
		path.Ext(file) == ""
}
