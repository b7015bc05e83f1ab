package classify

import (
	"fmt"
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// parts are the texts of the parts of a command, and whether one is unread.
func parts(command string) (texts []string, unread bool) {
	r := Classify(command, &here)
	for p := range r.All() {
		texts = append(texts, p.Name)
		unread = unread || p.Unread
	}
	return texts, unread
}

// TestNothingHides holds that whatever stands before or around it, sudo is seen
// or what hides it is unread.
func TestNothingHides(t *testing.T) {
	const sudo = "sudo rm -rf /"
	long := strings.Repeat("x", MaxBytes)
	for name, c := range map[string]struct {
		command string
		unread  bool
	}{
		"comment with a backslash":        {"ls # see \\\n" + sudo, false},
		"two of them":                     {"# a \\\n# b \\\n" + sudo, false},
		"many of them":                    {strings.Repeat("# a \\\n", 100) + sudo, false},
		"in a substitution":               {"echo $(ls # \\\n" + sudo + "\n)", false},
		"in a nested script":              {"bash -c 'ls # \\\n" + sudo + "'", false},
		"before a here-document's body":   {"cat <<E # \\\nx\nE\n" + sudo, false},
		"in a case":                       {"case x in # \\\nx) " + sudo + ";; esac", false},
		"a closed descriptor":             {"ls >&-; >&-sudo rm -rf /", false},
		"a closed input":                  {"<&-sudo rm -rf /", false},
		"a numbered one":                  {"2>&-sudo rm -rf /", false},
		"a closed one behind a blank":     {"<& -sudo rm -rf /", false},
		"an operator over two lines":      {"sudo&\\\n\\\n>x rm -rf /", false},
		"a coprocess":                     {"coproc 2>x sudo rm -rf /", true},
		"an invisible character":          {"# a\u200bb\n" + sudo, false},
		"a reordered comment":             {"# \u202ea\n" + sudo, false},
		"a long comment":                  {"# " + long + "\n" + sudo, false},
		"a long comment behind a command": {"ls # " + long + "\n" + sudo, false},
		"a hash in quotes":                {"echo ' # " + long + "'\n" + sudo, true},
		"a long word":                     {"echo " + long + "\n" + sudo, true},
		"data":                            {"cat >f <<'E'\n" + long + "\nE\n" + sudo, false},
		"data by a bare word":             {"cat >f <<E\n" + long + "\nE\n" + sudo, false},
		"data with tabs":                  {"cat >f <<-\\E\n" + long + "\n\tE\n" + sudo, false},
		"data with brackets": {"tee f <<\"E\"\n" + strings.Repeat("${x(",
			MaxBytes) + "\nE\n" + sudo, false},
		"two files": {strings.Repeat("cat >f <<'E'\n# "+long+"\nE\n",
			3) + sudo, false},
		"no data: it is expanded": {"cat >f <<E\n" + long + "$(" + sudo + ")\nE\n", true},
		"no data: in quotes": {"echo \"<<'E'\n" + long + "\n$(" + sudo + ")\nE\n\"",
			true},
		"no data: a comment": {"# <<'E'\n" + sudo + "\n" + long + "\nE", true},
		"a script":           {"bash <<'E'\n" + long + "\n" + sudo + "\nE", true},
		"many commands":      {strings.Repeat("ls\n", MaxSimple) + sudo, true},
		"some commands":      {strings.Repeat("ls\n", MaxSimple/2) + sudo, false},
		"many brackets":      {strings.Repeat("( ", maxOpened+1) + sudo, true},
		"deep": {strings.Repeat("{ ",
			maxNested+1) + sudo + strings.Repeat(";}", maxNested+1), true},
		"a quote that stays open": {sudo + "; echo 'x", true},
		"eval of an unknown text": {"eval \"$x\"", true},
		"a shell's unknown input": {"ls | sh", true},
		"an extended pattern":     {"[[ x == @(a|$(" + sudo + ")) ]]", true},
		"one of a case":           {"case x in +(`" + sudo + "`)) ls;; esac", true},
		"one of files":            {"shopt -s extglob\nls !(<(" + sudo + "))", true},
		"one with a value":        {"[[ x == ?(\"${y:-$(" + sudo + ")}\") ]]", true},
		"brackets in its quotes": {"[[ x == @(\"(\") ]]; " + sudo + "; [[ x == @(\")\") ]]",
			true},
		"brackets behind a backslash": {"[[ x == @(\\() ]]; " + sudo + "; [[ x == @(\\)) ]]",
			true},
		"brackets in its own quotes":          {"[[ x == @($'\\'(') ]]; " + sudo + " #')", true},
		"an extended pattern before it":       {"ls !(a|*.@(b|\"$c\"|'d)(e')); " + sudo, false},
		"a plain one before it":               {"ls !(a|*.@(b|c d)); " + sudo, false},
		"a subscript of test":                 {"test -v 'a[$(" + sudo + ")]'", true},
		"one of [[":                           {"[[ -v 'a[$(" + sudo + ")]' ]]", true},
		"one of unset":                        {"unset \"a[\\$(" + sudo + ")]\"", true},
		"one of printf":                       {"printf -v 'a[`" + sudo + "`]' x", true},
		"one of read":                         {"read 'a[$(" + sudo + ")]' <<<1", true},
		"one of declare":                      {"declare 'a[$(" + sudo + ")]=1'", true},
		"one of wait":                         {"wait -p 'a[$(" + sudo + ")]'", true},
		"a carriage return":                   {"bash -c $'ls #\\r\\n" + sudo + "'", false},
		"a carriage return outside a comment": {"bash -c $'ls \\r#\\\\\\n" + sudo + "'", true},
	} {
		names, unread := parts(c.command)
		if seen := strings.Contains(fmt.Sprint(names), "sudo"); seen == c.unread &&
			unread != c.unread || !seen && !unread || unread != c.unread {
			t.Errorf("%s: sudo seen %t, unread %t", name, seen, unread)
		}
	}
}

// TestHarmlessLength holds that data and comments are no reason for a level.
func TestHarmlessLength(t *testing.T) {
	long := strings.Repeat("some text (with brackets) # and so on\n", 500_000/38)
	for command, want := range map[string]verdict.Level{
		"cat > main.go <<'EOF'\n" + long + "EOF\n": verdict.Write,
		"mkdir -p a && cat > a/x <<EOF\n" + long + "EOF\nls " +
			"a": verdict.Write,
		"cat <<'A' >x; cat <<'B' >y\n" + "a\nA\n" + "b\nB\n": verdict.Write,
		"tee x <<'EOF' >/dev/null\n" + long + "EOF\necho done # " + strings.ReplaceAll(long, "\n",
			""): verdict.Write,
		"# \u200b" + strings.ReplaceAll(long, "\n",
			"\n# ") + "\nls": verdict.ReadOnly,
		"ls # list \u200b\n": verdict.ReadOnly,
		"# docker run \\\n#   -v x:y \\\n#   image\nls -l": verdict.ReadOnly,
	} {
		if r := Classify(command, &here); r.Level != want {
			t.Errorf("%.60q: %v by %s (%s), want %v", command, r.Level, r.Row, r.Reason, want)
		}
	}
}

// TestTyped holds what an interactive shell reads otherwise than a script.
func TestTyped(t *testing.T) {
	for _, c := range []struct {
		shell, command string
		unread         bool
	}{
		{"zsh", "echo hi # ; rm -rf x", true},
		{"zsh", "# a list\nls", true},
		{"zsh", "echo 'a # b' \"c # d\" e#f", false},
		{"bash", "echo hi # ; rm -rf x", false},
		{"bash", "!sudo", true},
		{"bash", "ls; !!", true},
		{"bash", `echo "and !rm"`, true},
		{"zsh", "ls !$", true},
		{"bash", "cat <<E\n!-2\nE", true},
		{"bash", "ls; !\"rm\"", true},
		{"bash", "echo 'not !rm'; [ ! -f x ] && [ a != b ]; ! ls; echo $! ${!x} [!a]* \\!x \"Done!\" " +
			"wow!", false},
	} {
		r := Classify(c.command, &Options{Cwd: "/home/me/project", Home: "/home/me", Shell: c.shell,
			Typed: true})
		unread := false
		for p := range r.All() {
			unread = unread || p.Unread
		}
		if unread != c.unread {
			t.Errorf("%s: %q unread %t (%s)", c.shell, c.command, unread, r.Row)
		}
	}
}

// TestLasting holds what outlives a command in a live shell, where a later line would be judged
// by its words: it is asked about there, and not in a shell that the command's end ends.
func TestLasting(t *testing.T) {
	level := func(shell, command string, live bool) verdict.Level {
		return Classify(command, &Options{Cwd: "/home/me/project", Home: "/home/me", Shell: shell,
			Typed: live, Lasts: live}).Level
	}
	for _, line := range []string{
		"bash alias ls='touch pwned'", "bash alias ls=evil", "zsh alias ls=evil",
		`bash alias "$x"`, `bash bind '"\C-m": "touch pwned\n"'`, "zsh bindkey '^M' evil",
		"zsh bindkey -s a 'touch pwned\n'", "zsh zle -N accept-line evil", "zsh autoload -U evil",
		"zsh print -z 'touch pwned'", "zsh compdef evil ls",
		"bash complete -F evil ls", "bash enable -n cd",
		"fish commandline -r 'touch pwned'", "fish functions -c rm ls", "fish emit fish_prompt",
		"bash export PATH=$PWD/bin:$PATH", "bash PATH=$PWD/bin:$PATH ls", "zsh PATH=$PWD/bin:$PATH",
		"fish set -gx PATH $PWD/bin $PATH", "bash export PATH=venv/bin:$PATH",
		`bash ls() { find . "$@"; }; ls x`, "bash cd x && alias ls=evil", "bash suspend",
		"bash set -k", "bash set -o keyword", "bash set -euo pipefail; ls",
		"bash builtin set -k", "bash eval 'set -k'",
		"bash shopt -s expand_aliases", "bash shopt -so keyword",
		"zsh setopt rc_quotes", "zsh unsetopt nomatch", "zsh emulate sh",
		"bash exec </dev/null", "bash { exec >/dev/null; }", "bash exec ls", "bash command exec ls",
		"bash IFS=/", "bash export IFS=/", "bash read -r IFS <<<x",
		"bash printf -v IFS /", "bash for IFS in /; do :; done",
		"zsh NULLCMD=touch", "zsh vared x", "zsh histchars=abc", "bash TMOUT=1",
		"bash let IFS=3", "bash HOME=$PWD git status", "bash POSIXLY_CORRECT=1",
		"bash unalias rm", "zsh unhash ls", "bash unset -f ls",
		"bash unset PATH", "fish functions -e ls", "fish set -e PATH",
		"bash stty -echo", "bash stty raw", "zsh ttyctl -u",
		"bash umask 0", "bash ulimit -f 0", "bash trap '' INT",
		"zsh TRAPINT() { ls; }", "zsh precmd() { ls; }", "fish function fish_prompt; ls; end",
		"zsh aliases=(ls evil)", "zsh dis_aliases[ls]=evil", "zsh hash -d x=/etc",
		"zsh PROMPT='$(id)'", `bash PS1="$x"`, "bash read PS1",
		"bash export HOME=$PWD", "fish set fish_function_path .", "zsh add-zsh-hook precmd f",
		`bash __ua_b='$(id)'`, `bash for __ua_c in '$(id)'; do :; done`,
		"bash read __ua_first", `zsh __ua_line=x`,
		"fish set -g __ua_set PATH", `bash printf -v "__ua_$x" y`,
		"bash unset __ua_turns", "bash __ua_enter() { :; }",
		"bash : {PATH}</dev/null", "bash ls {PS1}<x",
		"zsh : {path}</dev/null", "bash coproc PATH { cat; }",
		"zsh path=(./bin $path)", "zsh path+=./bin", "zsh path[1]=./bin",
		"zsh typeset path=./bin", "zsh : ${path:=./bin}",
		"zsh read -A path", "zsh for path in ./bin; do ls; done",
		"zsh print -v path ./bin", "zsh typeset -T FOO path",
		"zsh : ${aliases[ls]:=evil}", "zsh : ${saliases[x]=evil}",
		"zsh : ${commands[ls]:=./evil}", "zsh saliases[x]=evil",
		"zsh : ${(P)x:=y}", "zsh : ${(A)precmd_functions:=f}", "bash : ${BASH_ALIASES[ls]:=evil}",
		"bash export PYTHONPATH=.", "bash PYTHONPATH=. pip list",
		"fish set -gx NODE_PATH .", "bash RUBYLIB=. gem list",
		"bash export HTTPS_PROXY=http://x.example",
		"bash export ANTHROPIC_BASE_URL=http://x.example", "zsh export KUBECONFIG=x",
		"bash export AWS_PROFILE=prod", "bash export STARSHIP_CONFIG=./x", "bash PYENV_ROOT=x",
		"bash exit", "fish exit", "zsh logout",
		"zsh PROMPT_EOL_MARK='$(id)'", "fish string match -rq '(?<PATH>.*)' ./bin",
		"fish string match --regex '(?P<fish_function_path>.*)' ./f",
		`fish string match -r "(?<$x>.*)" y`,
	} {
		shell, command, _ := strings.Cut(line, " ")
		if got := level(shell, command, true); got < buildTest {
			t.Errorf("%s: %s in a live shell", line, got)
		}
	}
	for _, line := range []string{
		"bash alias", "bash alias -p", "bash alias ls",
		"zsh bindkey", "bash complete -p", "fish functions", "bash export PATH=$HOME/bin:$PATH",
		"bash PATH=/usr/local/bin:$PATH ls", "bash f() { ls; }; f", "zsh print -r x",
		"bash IFS=, read -r a b", "bash (set -e; ls)",
		"bash bash -c 'set -eu; umask 0; IFS=/; ls'", "bash set -- a b",
		"bash set -o", "bash shopt", "bash shopt nullglob",
		"bash stty -a", "bash stty size", "bash stty sane", "bash umask",
		"bash ulimit -a", "bash ulimit -n", "bash x=$(set -f; exec ls)",
		"bash PS1='\\w> '", "bash unset x", "zsh setopt",
		"bash trap", "bash path=./bin",
		"bash exec_log=1; ls {x}<y",
		"zsh mypath=(a b)", "bash (exit 1)", "bash export NODE_ENV=production", "bash export FOO=bar",
		"bash export AWS_REGION=us-east-1", "bash x=$(false || exit 1)", "bash bash -c 'exit 3'",
		"bash HTTPS_PROXY= ls", "zsh echo $path", "fish string match -rq '(?<year>[0-9]+)' 2020",
		"fish string match -r '(?:a|b)' x", "bash : ${x:=y}", "zsh : ${x[1]:=y}", "bash echo __ua_b",
	} {
		shell, command, _ := strings.Cut(line, " ")
		if got := level(shell, command, true); got != readOnly {
			t.Errorf("%s: %s in a live shell", line, got)
		}
	}
	for _, line := range []string{
		"bash alias ll='ls -l'", "bash PATH=$PWD/bin:$PATH ls",
		"bash set -euo pipefail; IFS=$'\n'; umask 022; exec 2>&1; ls", "bash shopt -s nullglob; ls",
	} {
		shell, command, _ := strings.Cut(line, " ")
		if got := level(shell, command, false); got != readOnly {
			t.Errorf("%s: %s in a shell of its own", line, got)
		}
	}
}

// TestCounted has arithmetic set a variable by which programs are found or run.
func TestCounted(t *testing.T) {
	for command, want := range map[string]bool{
		"(( PATH=1 ))": true, "let PATH=1": true, ": $((PATH=1))": true,
		"(( BASH_ENV+=1 ))": true, "(( PATH++ ))": true, "for ((PATH=1;;)); do ls; done": true,
		"(( n=1 ))": false, "(( n == PATH ))": false, "let i++": false, "(( x = y <= 3 ))": false,
	} {
		r := Classify(command, &Options{Cwd: "/home/me/project", Home: "/home/me"})
		if (r.Level >= destructive) != want {
			t.Errorf("%s: %s", command, r.Level)
		}
	}
}
