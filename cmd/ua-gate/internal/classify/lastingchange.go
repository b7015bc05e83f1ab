package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// lastingNames are the builtins of bash, zsh and fish whose operands change what the shell's
// later lines, or the keys that the person types, do. In a shell of its own that a command's
// end ends they do nothing.
const lastingNames = " bind bindkey zle autoload compdef complete vared enable disable zstyle " +
	"abbr " +
	"commandline emit funced funcsave suspend "

// lasts is the rule for what outlives the command in a live shell: a later command would be
// judged by its words, and do something else.
func (w *walker) lasts(a *argv) {
	if !w.o.Lasts {
		return
	}
	changes := false
	switch a.name {
	case "alias":
		for _, o := range a.words {
			changes = changes || strings.Contains(o.text, "=") || !o.known()
		}
	case "string": // of fish: a group of a pattern that has a name is a variable
		a.namedGroups()
	case "functions", "print": // -c copies one, -z types for the person, -v sets a variable
		for i, o := range a.words {
			if a.name == "print" && o.text == "-v" && i+1 < len(a.words) {
				a.w.fills(a.p, a.words[i+1].text)
			}
			changes = changes || strings.HasPrefix(o.text, "-") &&
				strings.ContainsAny(o.text, "czs") ||
				o.text == "--copy"
		}
	default:
		changes = inList(lastingNames, a.name) && (len(a.operands) > 0 || a.name == "suspend")
	}
	if changes || w.inLive() && changesTyped(a) {
		w.raiseLasting(a.p, a.name)
	}
}

// inLive reports whether what is judged now runs in the live shell itself, where options,
// descriptors and limits stay: no other agent's hook, and no shell or subshell of its own.
func (w *walker) inLive() bool { return w.o.Typed && w.o.Lasts && w.own == 0 }

// optionNames are further builtins whose operands switch how a shell reads or runs its lines: set
// -k
// takes PATH=x among a command's arguments for a variable, setopt rc_quotes moves the ends of
// quotes, set -e ends the shell at the next command that fails.
const optionNames = " setopt unsetopt emulate unalias unhash add-zsh-hook add-zle-hook-widget " +
	"ttyctl block "

// changesTyped reports whether a builtin leaves the live shell with other options, descriptors,
// limits, traps or terminal modes. What only prints them does not.
func changesTyped(a *argv) bool {
	flag := func(wd word) bool {
		return len(wd.text) > 1 && strings.ContainsAny(wd.text[:1], "-+") && wd.text != "--" ||
			!wd.known()
	}
	switch a.name {
	case "set": // set -- A B, set A and set -o only fill $1 or print
		return len(a.words) > 0 && flag(a.words[0]) &&
			(len(a.words) > 1 || !inList(" -o +o ", a.words[0].text))
	case "shopt":
		for _, o := range a.words {
			if flag(o) && strings.ContainsAny(o.text, "su"+hole) {
				return true
			}
		}
		return false
	case "umask":
		return slices.ContainsFunc(a.words, func(o word) bool { return !inList(" -S -p ", o.text) })
	case "ulimit", "limit":
		return slices.ContainsFunc(a.words, func(o word) bool {
			return !strings.HasPrefix(o.text, "-") || strings.ContainsAny(o.text, "0123456789"+hole)
		})
	case "stty": // sane mends
		return slices.ContainsFunc(a.words,
			func(o word) bool { return !inList(" -a --all -g --save size speed sane ", o.text) })
	case "trap":
		return len(a.words) > 1
	// Without a variable that the shell reads, or a function, later lines mean something
	// else.
	case "unset":
		for _, o := range a.words {
			kind, known := a.w.variable(o.text)
			if strings.HasPrefix(o.text, "-") && strings.Contains(o.text, "f") ||
				a.w.lastingVariable(o.text) ||
				known && kind != varHarmless {
				return true
			}
		}
		return false
	case "functions":
		return slices.ContainsFunc(a.words,
			func(o word) bool { return inList(" -e --erase ", o.text) })
	case "hash":
		return a.flagged("-d") && len(a.operands) > 0
	case "read":
		return a.flagged("-z")
	case "status":
		return len(a.words) > 1 && inList(" job-control ", a.words[0].text)
	// These end the shell of the person.
	case "exec", "exit", "logout":
		return true
	}
	return inList(optionNames, a.name) && len(a.words) > 0
}

// lastingVariables are those by which bash, zsh or fish reads or finds what later lines say,
// beside
// the ones that name programs: how words part, what stands for ! and for a command that is
// missing,
// what names mean, and where the settings of programs are. TMOUT ends the shell.
const lastingVariables = " IFS NULLCMD READNULLCMD histchars HISTCHARS TMOUT POSIXLY_CORRECT " +
	"BASH_COMPAT FIGNORE STTY HOME " +
	"XDG_CONFIG_HOME XDG_CONFIG_DIRS aliases galiases saliases functions builtins commands options " +
	"nameddirs reswords " +
	"dis_aliases dis_galiases dis_saliases dis_functions dis_builtins dis_reswords " +
	"fish_function_path fish_complete_path fish_key_bindings "

// leadsElsewhere are variables that lead later lines, of the person too, to another machine, with
// the keys that are sent there, or to another account, and those of what draws prompts.
var leadsElsewhere = regex{text: `(?i)_PROXY$|_BASE_URL$|_API_BASE$|^AWS_(PROFILE|CONFIG_FILE|` +
	`SHARED_CREDENTIALS_FILE|ENDPOINT_URL.*)$|^KUBECONFIG$|^SSH_AUTH_SOCK$|` +
	`^(STARSHIP|DIRENV|POSH|POWERLINE)_|^(PYENV|RBENV|NODENV|ASDF|MISE|NVM|SDKMAN)_`}

// ownPrefix begins the names of ua-shell's own variables and functions in the live shell, with
// which the shell draws its prompts.
const ownPrefix = "__ua_"

// lastingVariable reports whether a variable is such a one. In zsh path is PATH as a list.
func (w *walker) lastingVariable(name string) bool {
	name, _, _ = strings.Cut(name, "[")
	return inList(lastingVariables, name) || strings.HasPrefix(name, ownPrefix) ||
		name == "path" && w.shell() == "zsh" || leadsElsewhere.match(name)
}

// lastingPrompt reports whether a variable is a prompt whose text the shell expands each time.
func lastingPrompt(s setting) bool {
	prompt := strings.TrimLeft(strings.TrimRight(s.name, "0123456789"), "RS")
	return (prompt == "PROMPT" || prompt == "PS" || prompt == "P" || s.name == "prompt" ||
		s.name == "PROMPT_EOL_MARK") &&
		strings.ContainsAny(s.val.text, "$`"+hole)
}

// hookFunctions are the functions that a shell calls by itself.
const hookFunctions = " precmd preexec chpwd periodic zshaddhistory zshexit " +
	"command_not_found_handle " +
	"command_not_found_handler zsh_directory_name fish_prompt fish_right_prompt fish_mode_prompt " +
	"fish_title " +
	"fish_command_not_found fish_greeting fish_user_key_bindings fish_should_add_to_history "

// calledByItself reports whether the live shell calls a function of this name unasked.
func (w *walker) calledByItself(name string) bool {
	return w.inLive() && (inList(hookFunctions, name) || strings.HasPrefix(name, "TRAP") ||
		strings.HasPrefix(name, ownPrefix))
}

// namedGroups is the rule for the variables that string match sets in fish.
func (a *argv) namedGroups() {
	if !slices.ContainsFunc(a.words, func(o word) bool { return o.text == "match" }) {
		return
	}
	for _, o := range a.words {
		for _, group := range strings.Split(o.text, "(?")[1:] {
			name, _, ok := strings.Cut(strings.TrimPrefix(group, "P"), ">")
			if name, named := strings.CutPrefix(name, "<"); ok && named &&
				!strings.HasPrefix(name, "=") && !strings.HasPrefix(name, "!") {
				a.w.fills(a.p, name)
			}
		}
	}
}

func (w *walker) raiseLasting(p *Part, name string) {
	p.add(lasts, "lasting", name+" changes what later lines of this shell do")
}

// counted is the rule for a variable that arithmetic sets, which is a number: as a search path
// or a program that is a file's name.
func (w *walker) counted(c syntax.ArithmExpr, parts *[]Part) {
	word, ok := c.(*syntax.Word)
	if !ok {
		return
	}
	name := word.Lit()
	kind, known := w.variable(name)
	if known && kind != varHarmless || namesProgram(name) && isUpper(name) ||
		w.inLive() && w.lastingVariable(name) {
		w.fact(parts, word, runsHidden, "env:"+name, name+" may make a program run other code")
	}
}

// changesNumber reports whether an arithmetic operator sets the variable before it.
func changesNumber(op syntax.BinAritOperator) bool {
	return strings.HasSuffix(op.String(), "=") && op != syntax.Eql && op != syntax.Neq &&
		op != syntax.Leq && op != syntax.Geq
}
