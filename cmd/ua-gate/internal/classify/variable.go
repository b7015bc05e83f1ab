package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/secret"
)

// holdsSecret reports whether a variable that the command has not set is a secret, by
// its name. A shell's own variables for folders, sockets and counts of tokens are
// none.
func holdsSecret(name string) bool {
	switch {
	case len(name) < 3, name == "PWD", name == "OLDPWD", strings.HasSuffix(name, "_SOCK"),
		strings.HasSuffix(name, "TOKENS"):
		return false
	}
	return secret.Name(name)
}

// fromVariable is the rule for a word or an input that holds a secret variable where
// the program prints or stores it. What a substitution takes goes on in its bits, and
// what a pipe hands to a program as its password has not been printed.
func (a *argv) fromVariable(from flow) {
	if from&fromVar == 0 {
		return
	}
	a.out |= fromVar
	if a.w.captured == 0 {
		a.p.add(readsSecrets, "env:secret", a.name+" prints or stores a secret variable")
	}
}

// variables are the rules for programs that print variables, or pass on what they
// read.
func (a *argv) variables() {
	switch a.name {
	case "printenv":
		for _, o := range a.operands {
			if holdsSecret(o.text) {
				a.fromVariable(fromVar)
			}
		}
	// envsubst puts the values of variables into the text that it reads.
	case "envsubst":
		for _, m := range dollarName.all(join(a.words) + a.in.text) {
			if holdsSecret(m[1]) {
				a.fromVariable(fromVar)
			}
		}
	case "echo", "printf", "print":
		if a.name == "printf" && len(a.words) > 0 && strings.HasPrefix(a.words[0].text, "-v") {
			return
		}
		fallthrough
	case "logger", "wall", "write", "notify-send", "figlet":
		for _, wd := range a.words {
			if !strings.HasPrefix(wd.text, "::add-mask::") {
				a.fromVariable(wd.from)
			}
		}
	// These pass on what they read, changed perhaps, but still the secret.
	case "cat", "tac", "tee", "head", "tail", "base64", "base32", "xxd", "od", "hexdump", "rev", "tr",
		"cut", "sed", "awk", "nl", "fold", "sort", "uniq", "less", "more", "strings", "hd":
		if len(a.operands) == 0 || a.name != "cat" {
			a.fromVariable(a.in.bits)
		}
	case "rm", "rmdir", "unlink":
		a.removes()
	case "set":
		if len(a.words) == 0 {
			a.out |= fromSecret // all variables
		}
	case "terraform output", "tofu output", "systemctl show-environment", "systemctl cat",
		"docker compose config", "ansible-inventory", "git config", "history":
		a.out |= fromSecret
	case "make":
		if a.flagged("-p", "--print-data-base") {
			a.out |= fromSecret
		}
	case "docker inspect", "docker container inspect", "podman inspect":
		a.out |= fromSecret
		for _, wd := range a.words {
			if strings.Contains(wd.text, ".Env") {
				a.out |= fromSecret
				a.p.add(readsSecrets, "env:secret", a.name+" prints the variables of a container")
			}
		}
	}
	// sed -i "s/KEY/$TOKEN/" leaves the secret in a file.
	if (a.name == "sed" || a.name == "perl" || a.name == "gsed") && a.flagged("-i", "--in-place") {
		for _, wd := range a.words {
			if wd.from&fromVar != 0 {
				a.p.add(readsSecrets, "env:secret", a.name+" stores a secret variable")
			}
		}
	}
	a.picks()
	if a.in.bits&fromNames != 0 && (a.row.reader == "stdin-names" || a.flagged("-@")) {
		a.p.add(readsSecrets, "path:secret",
			a.name+" reads secrets by the names that another command gives")
	}
	if a.in.known && (a.row.reader == "stdin-names" || a.flagged("-@", "-T")) {
		for line := range strings.Lines(a.in.text) {
			a.reads(lit(strings.TrimSpace(line)))
		}
	}
}

// dollarName is a variable as envsubst(1) finds it in a text.
var dollarName = regex{text: `\$\{?(\w+)`}

// handsOver reports whether the statement behind a pipe takes what it reads as its
// password, or shows nothing of it but a size, a digest or whether it fits.
func handsOver(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	switch path.Base(call.Args[0].Lit()) {
	case "wc", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "b2sum":
		return true
	case "grep", "egrep":
		return slices.ContainsFunc(call.Args, func(arg *syntax.Word) bool {
			return strings.HasPrefix(arg.Lit(), "-q") || arg.Lit() == "--quiet"
		})
	}
	return slices.ContainsFunc(call.Args, func(arg *syntax.Word) bool {
		switch arg.Lit() {
		case "--password-stdin", "--with-token", "--token-stdin", "--passphrase-fd", "login", "secret",
			"secrets":
			return true
		}
		return false
	})
}

// picks is the rule for a command that gets all variables and looks for secrets among them.
func (a *argv) picks() {
	from := a.in.bits
	for _, wd := range a.words {
		from |= wd.from // <(env)
	}
	if a.w.wroteFrom(fromSecret) {
		from |= a.out
	}
	if strings.HasSuffix(a.name, "grep") && a.in.open {
		name := strings.Map(func(r rune) rune {
			if r == '\\' || r == '^' || r == '$' {
				return -1
			}
			return r
		}, first(a.operands, "").text)
		a.lists(lit(name))
	}
	filter := inList(" jq gojq jaq yq tomlq xq ", a.name)
	if filter && filterVariables.match(join(a.words)) || from&fromSecret != 0 &&
		secretWord.match(join(a.words)) && !(strings.HasSuffix(a.name, "grep") &&
		(a.letter("q") || a.letter("c"))) {
		a.p.add(readsSecrets, "env:secret", a.name+" picks secret variables")
	}
}

// filterVariables finds the variables of the environment in a program of jq.
var filterVariables = regex{text: `\$ENV\b(?:[^.\w]|$)|(?:^|[^.\w"$-])env\b(?:[^.\w(:"]|$)`}

// secretWord finds a part of the names of secrets.
var secretWord = regex{text: `(?i)token|\.env\b|secret|pass|cred|key|private|auth`}
