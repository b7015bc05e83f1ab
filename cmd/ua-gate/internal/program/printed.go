package program

import (
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// prints notes what a program prints that says where something lies, so that a word made of it is
// judged as that place.
func (a *argv) prints() {
	switch a.row.Name {
	case "cat":
		a.cat()
	case "tee":
		if a.known = a.in.Known && len(a.used) == 0; a.known {
			a.printed = a.in.Text
		}
	case "mktemp":
		a.mktemp()
	}
	if a.s.Captured == 0 || len(a.words) == 0 && a.name != "pwd" {
		return
	}
	text, last := "", shell.First(a.words[max(0, len(a.words)-1):], "").Text
	switch a.name {
	case "pwd":
		if text = "."; a.sc.Cwd != a.s.Cwd {
			text = a.sc.Cwd
		}
	case "which", "command":
		if strings.Trim(last, "abcdefghijklmnopqrstuvwxyz0123456789-_.+") == "" {
			text = "/usr/bin/" + last
		}
	case "git rev-parse":
		text = map[string]string{"--git-dir": ".git", "--git-common-dir": ".git",
			"--absolute-git-dir": ".git", "--show-toplevel": ".", "hooks": ".git/hooks"}[last]
	case "go env":
		text = shell.UsualPlace(last)
	}
	if text != "" && !strings.Contains(last, match.Hole) {
		a.printed, a.known = text, true
	}
}

// cat passes its input on, if it has no other, or what the command has written into its file.
func (a *argv) cat() {
	switch {
	case len(a.operands) == 1 && a.operands[0].Text == "/dev/null":
		a.known = true
	case len(a.used) > 0 || len(a.operands) > 1:
	case len(a.operands) == 1 && a.operands[0].Text != "-":
		a.printed, a.known = a.s.TextOf(a.operands[0], a.sc)
	case a.in.Known:
		a.printed, a.known = a.in.Text, true
	}
}

// mktemp says where the new file is, if nothing tells it otherwise.
func (a *argv) mktemp() {
	val, _ := a.value("-p", "--tmpdir")
	if !match.InList(" /tmp /var/tmp ", val.Text) && (val.Text != "" || val.From != 0) {
		return
	}
	if !slices.ContainsFunc(a.operands, func(o shell.Word) bool {
		return !inTemp(o, a.flagged("-t", "-p", "--tmpdir"))
	}) {
		a.printed, a.known = "/tmp/"+match.Hole, true
		a.out |= shell.FromTemp
	}
}

// inTemp reports whether a template of mktemp's makes a name in the temporary folder, where it
// stands as a path or, short, behind a flag that says so.
func inTemp(template shell.Word, short bool) bool {
	name, rooted := strings.CutPrefix(template.Text, "/tmp/")
	return template.Plain() && !template.Glob && !strings.Contains(name, "/") &&
		(rooted && strings.Contains(name, "XXX") || short)
}

// printed returns what echo or printf writes, if that is known.
func printed(name, dialect string, args []shell.Word) (text string, ok bool) {
	var vals []string
	for _, a := range args {
		if !a.Known() {
			return "", false
		}
		vals = append(vals, a.Text)
	}
	if name == "echo" {
		decode, end := dialect == "zsh", "\n" // zsh decodes without -e
		for len(vals) > 0 && len(vals[0]) > 1 && strings.Trim(vals[0][1:], "neE") == "" &&
			vals[0][0] == '-' {
			if k := strings.LastIndexAny(vals[0], "eE"); k > 0 {
				decode = vals[0][k] == 'e'
			}
			if strings.Contains(vals[0], "n") {
				end = ""
			}
			vals = vals[1:]
		}
		if text = strings.Join(vals, " "); decode {
			text, ok = shell.Escapes(text, false)
			return text + end, ok && !strings.Contains(text, `\`)
		}
		return text + end, true
	}
	if len(vals) == 0 || strings.HasPrefix(vals[0], "-") {
		return "", false
	}
	return format(vals[0], vals[1:])
}

// format returns printf's output for the verb %s.
func format(f string, args []string) (string, bool) {
	f, ok := shell.Escapes(f, true)
	if pieces := strings.Split(f, "%s"); !strings.Contains(strings.Join(pieces, ""), "%") {
		var out strings.Builder
		for n := 0; (n == 0 || len(args) > 0 && len(pieces) > 1) && out.Len() < shell.MaxBytes; n++ {
			for i, piece := range pieces {
				if i > 0 && len(args) > 0 {
					out.WriteString(args[0])
					args = args[1:]
				}
				out.WriteString(piece)
			}
		}
		return out.String(), ok
	}
	return "", false
}

// variables are the rules for programs that print variables, or pass on what they
// read.
func (a *argv) variables() {
	switch {
	case a.name == "printenv":
		for _, o := range a.operands {
			if shell.HoldsSecret(o.Text) {
				a.fromVariable(shell.FromVar)
			}
		}
	// envsubst puts the values of variables into the text that it reads.
	case a.name == "envsubst":
		for _, m := range dollarName.All(shell.Join(a.words) + a.in.Text) {
			if shell.HoldsSecret(m[1]) {
				a.fromVariable(shell.FromVar)
			}
		}
	case a.name == "printf" && strings.HasPrefix(shell.First(a.words, "").Text, "-v"):
		return
	case a.row.Facts&table.FactPrints != 0:
		for _, wd := range a.words {
			if !strings.HasPrefix(wd.Text, "::add-mask::") {
				a.fromVariable(wd.From)
			}
		}
	// A program that only reads passes on what it reads, changed perhaps.
	case a.row.Level == verdict.ReadOnly &&
		a.row.Facts&(table.FactScript|table.FactCode|table.FactHides) == 0 && a.row.Reader != "shell":
		a.fromVariable(a.in.Bits)
	case a.row.Name == "rm":
		a.removes()
	}
	a.picks()
	if a.row.Reader == "stdin-names" || a.flagged("-@", "-T") {
		if a.in.Bits&shell.FromNames != 0 {
			a.p.Add(judgement.ReadsSecrets, "path:secret",
				a.name+" reads secrets by the names that another command gives")
		}
		for line := range strings.Lines(a.in.Text) {
			a.reads(shell.Lit(strings.TrimSpace(line)))
		}
	}
}

// dollarName is a variable as envsubst(1) finds it in a text.
var dollarName = match.Regex{Text: `\$\{?(\w+)`}

// bareName leaves out what a pattern adds to a name.
var bareName = strings.NewReplacer(`\`, "", "^", "", "$", "")

// picks is the rule for a command that gets all variables and looks for secrets among them.
func (a *argv) picks() {
	from := a.in.Bits
	for _, wd := range a.words {
		from |= wd.From // <(env)
	}
	if a.s.WroteFrom(shell.FromSecret) {
		from |= a.out
	}
	if strings.HasSuffix(a.name, "grep") && a.in.Open {
		name := bareName.Replace(shell.First(a.operands, "").Text)
		a.lists(shell.Lit(name))
	}
	filter := match.InList(" jq gojq jaq yq tomlq xq ", a.name)
	if filter && filterVariables.Match(shell.Join(a.words)) || from&shell.FromSecret != 0 &&
		SecretWord.Match(shell.Join(a.words)) && !(strings.HasSuffix(a.name, "grep") &&
		(a.letter("q") || a.letter("c"))) {
		a.p.Add(judgement.ReadsSecrets, "env:secret", a.name+" picks secret variables")
	}
}

// filterVariables finds the variables of the environment in a program of jq.
var filterVariables = match.Regex{Text: `\$ENV\b(?:[^.\w]|$)|(?:^|[^.\w"$-])env\b(?:[^.\w(:"]|$)`}

// SecretWord finds a part of the names of secrets.
var SecretWord = match.Regex{Text: `(?i)token|\.env\b|secret|pass|cred|key|private|auth`}
