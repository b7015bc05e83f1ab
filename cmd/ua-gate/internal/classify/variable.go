package classify

import (
	"strings"

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
	switch {
	case a.name == "printenv":
		for _, o := range a.operands {
			if holdsSecret(o.text) {
				a.fromVariable(fromVar)
			}
		}
	// envsubst puts the values of variables into the text that it reads.
	case a.name == "envsubst":
		for _, m := range dollarName.all(join(a.words) + a.in.text) {
			if holdsSecret(m[1]) {
				a.fromVariable(fromVar)
			}
		}
	case a.name == "printf" && strings.HasPrefix(first(a.words, "").text, "-v"):
		return
	case a.row.facts&factPrints != 0:
		for _, wd := range a.words {
			if !strings.HasPrefix(wd.text, "::add-mask::") {
				a.fromVariable(wd.from)
			}
		}
	// A program that only reads passes on what it reads, changed perhaps.
	case a.row.level == readOnly && a.row.facts&(factScript|factCode|factHides) == 0 &&
		a.row.reader != "shell":
		a.fromVariable(a.in.bits)
	case a.row.name == "rm":
		a.removes()
	}
	a.picks()
	if a.row.reader == "stdin-names" || a.flagged("-@", "-T") {
		if a.in.bits&fromNames != 0 {
			a.p.add(readsSecrets, "path:secret",
				a.name+" reads secrets by the names that another command gives")
		}
		for line := range strings.Lines(a.in.text) {
			a.reads(lit(strings.TrimSpace(line)))
		}
	}
}

// dollarName is a variable as envsubst(1) finds it in a text.
var dollarName = regex{text: `\$\{?(\w+)`}

// bareName leaves out what a pattern adds to a name.
var bareName = strings.NewReplacer(`\`, "", "^", "", "$", "")

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
		name := bareName.Replace(first(a.operands, "").text)
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
