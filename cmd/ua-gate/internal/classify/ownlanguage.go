package classify

import (
	"strings"

	"ua/internal/common/secret"
)

// tongues is the rule for words of a program that has a language of its own, which the gate
// does not read: what looks there like a call that runs a command or changes files may be one.
// A program that builds or tests runs the project's code anyhow, and finds tests by such words.
func (a *argv) tongues() {
	if max(a.p.Level, a.base) > write ||
		a.row.facts&(factText|factCode|factScript|factSharp) != 0 {
		return
	}
	// What searches takes such words for patterns.
	if program, _, _ := strings.Cut(a.name, " "); inList(seeking, program) {
		return
	}
	for i, wd := range a.words[:len(a.words)-len(a.rest)] {
		if (a.row.level == buildTest || a.row.reader != "") && !a.guessedCode(i) {
			if line := losingCall(wd.text); line != "" && !(i > 0 && inList(" -k -m -t -g ",
				a.words[i-1].text)) {
				a.script(a.name, lit(line), stream{})
			}
			continue
		}
		if strings.ContainsAny(wd.text, "vV") {
			a.variablesIn(wd.text)
		}
		if strings.Contains(wd.text, "#(") && strings.HasPrefix(a.name, "tmux") {
			a.p.add(runsHidden, a.name, a.name+" runs the commands in "+show(wd.text))
		}
		if len(wd.text) < 4 || !strings.ContainsAny(wd.text, "(|!`>") {
			continue
		}
		if strings.Contains(wd.text, ">") {
			a.redirectsIn(wd)
		}
		if what := runsByCall(wd.text); what != "" {
			a.p.add(runsHidden, a.name, a.name+" may run the "+show(what)+" in its words")
			return
		}
	}
}

// guessedCode reports whether word i of a program that builds belongs to a long flag that no row
// knows and that says by its name that it is code.
func (a *argv) guessedCode(i int) bool {
	name := a.words[i].text
	if !strings.HasPrefix(name, "--") && i > 0 {
		name = a.words[i-1].text
	}
	name, _, _ = strings.Cut(name, "=")
	return strings.HasPrefix(name, "--") && !a.has(name) && inAny(" expr expression code statement "+
		"stmt py python js javascript lua "+
		"ruby perl eval script snippet execute setup teardown inject prelude predicate ", keyWords(name))
}

// seeking are programs that look for such texts, compare or keep them.
const seeking = ` grep egrep fgrep zgrep rg ugrep ag ack pcregrep pcre2grep rga sift ast-grep
 comby git hg svn jj fossil fzf sk peco
 logger wall write espeak say spd-say figlet toilet banner cowsay cowthink zenity complete compgen
 alias
 string read trap printf print
 cspell codespell typos aspell hunspell look test [ semgrep ctags global gtags cscope man apropos
 tldr logger notify-send
 diff wdiff wc expr xsel xclip bat less more `

// runsByCall returns what in a text of an unknown language runs a command or changes files:
// a call with a text, or a pipe to a shell.
func runsByCall(text string) string {
	for i := 0; i < len(text); i++ {
		rest := strings.TrimLeft(text[i+1:], " ")
		switch text[i] {
		case '(':
			end := len(strings.TrimRight(text[:i], " "))
			from := end
			for from > 0 && (text[from-1] == '_' || text[from-1]|0x20 >= 'a' && text[from-1]|0x20 <= 'z') {
				from--
			}
			if rest != "" && inList(runningCalls, strings.ToLower(text[from:end])) {
				return text[from:end]
			}
		case '|':
			quoted := strings.TrimLeft(rest, `"'`)
			if (i == 0 || len(quoted) < len(text[i+1:])) && inList(commonPrograms, firstName(quoted)) {
				return text[i:]
			}
		case '!', '`':
			if inList(commonPrograms, firstName(rest)) {
				return text[i:]
			}
		}
	}
	return ""
}

// losingCall returns the command line of a program that loses or runs something that a text gives
// to a call, a pipe or an exclamation mark, and nothing where it looks for one.
func losingCall(text string) string {
	for i := 0; i < len(text); i++ {
		line := text[i+1:]
		switch text[i] {
		case '(':
			from := i
			for from > 0 && (text[from-1] == '_' || text[from-1]|0x20 >= 'a' && text[from-1]|0x20 <= 'z') {
				from--
			}
			rest := strings.TrimLeft(line, " ")
			if rest == "" || strings.IndexByte("\"'`", rest[0]) < 0 ||
				!inList(runningCalls, strings.ToLower(text[from:i])) {
				continue
			}
			line, _, _ = strings.Cut(rest[1:], rest[:1])
		case '!', '|':
			if i > 0 {
				continue
			}
		case '`':
			line, _, _ = strings.Cut(line, "`")
		default:
			continue
		}
		if losesByWords(line) {
			return line
		}
	}
	return ""
}

// firstName returns the letters that a text begins with.
func firstName(text string) string {
	end := 0
	for end < len(text) && (text[end] == '_' || text[end] >= 'a' && text[end] <= 'z' ||
		text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[:end]
}

// commonPrograms are what somebody runs who may run anything.
const commonPrograms = ` sh bash dash zsh ksh fish rm mv cp dd tee touch curl wget nc ncat socat
 cat env xargs id kill chmod chown ln
 python python3 perl ruby node php lua ssh scp mail sendmail sudo eval exec find tar openssl `

// runningCalls are the names of functions by which languages run commands, load code or
// change files.
const runningCalls = ` system open exec execv execvp execve popen spawn shell cmd command
 shell_exec passthru proc_open unlink rmtree
 check_output check_call run_command runcommand pipe_open open_pipe writefile write_file
 delete_file remove_file
 deletefile removefile os_execute loadlibrary load_library dlopen fork startprocess start_process
 createprocess
 doshellscript do_shell_script require import eval unlinksync writefilesync execsync rmsync `

// envName finds the variables that a text of some language reads: $ENV.NAME, env:NAME,
// environ["NAME"], getenv("NAME"), .Env.NAME.
var envName = regex{text: `(?:^|[^.\w])(?:env|ENV|environ|ENVIRON)(?:\.|:|\[["'])(\w+)|` +
	`(?:\.Env|os\.environ|process\.env)(?:\.|\[["'])(\w+)|\b(?:str)?env\(["']?(\w+)|` +
	`\b[gG]et_?[eE]nv[( ]+["'](\w+)|\benv ["'](\w+)`}

// variablesIn is the rule for a text by which a program prints a secret variable.
func (a *argv) variablesIn(text string) {
	if !strings.Contains(strings.ToLower(text), "env") {
		return
	}
	for _, m := range envName.all(text) {
		if name := strings.Join(m[1:], ""); secret.Name(name) && name != "PWD" && name != "OLDPWD" {
			a.p.add(readsSecrets, "env:secret", a.name+" reads the secret variable "+name)
			a.out |= fromSecret
		}
	}
}

// redirectsIn is the rule for a text in which > stands before a path in quotes: that file is
// written.
func (a *argv) redirectsIn(wd word) {
	for _, piece := range strings.Split(wd.text, ">")[1:] {
		piece = strings.TrimLeft(piece, "> ")
		if len(piece) > 1 && (piece[0] == '"' || piece[0] == '\'') {
			file, _, _ := strings.Cut(piece[1:], piece[:1])
			a.stray(wd.with(file), true)
		}
	}
}

// expression is a program whose expressions, as words and on its input, import files, variables
// and what other machines have.
func (a *argv) expression() {
	texts := []word{{text: a.in.text, from: a.in.bits}}
	for _, wd := range append(texts, a.operands...) {
		a.variablesIn(wd.text)
		a.readsInside(wd)
		if strings.Contains(wd.text, "http://") || strings.Contains(wd.text, "https://") {
			a.p.add(talks, a.name, a.name+" imports from another machine")
		}
	}
	if expr, ok := a.value("--expr", "-E", "--apply"); ok {
		a.variablesIn(expr.text)
		switch {
		case strings.Contains(expr.text, "exec"), strings.Contains(expr.text, "import"),
			strings.Contains(expr.text, "<"):
			a.p.add(runsHidden, a.name, a.name+" may run the code in "+show(expr.text))
		case strings.Contains(expr.text, "fetch"):
			a.p.add(talks, a.name, a.name+" fetches what it evaluates")
		}
		a.readsInside(expr)
	}
	if file, ok := a.value("--file"); ok {
		a.reads(file)
	}
}
