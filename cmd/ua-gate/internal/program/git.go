package program

import (
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// git looks at what every git command has: -c, and URLs that run programs.
func (a *argv) git() {
	switch a.name {
	case "git checkout", "git switch":
		a.gitCheckout()
	case "git config", "git config set":
		a.gitConfig()
	}
	// These print files of the folder, which may be a home with its secrets.
	if (a.name == "git grep" || a.name == "git diff" || a.name == "git show" || a.name == "git log" &&
		a.flagged("-p", "-u", "--patch", "-S", "-G")) &&
		a.kinds(shell.Lit("."))&(table.PathMixed|table.PathHere) == table.PathMixed {
		a.p.Add(judgement.ReadsSecrets, "path:secret",
			a.name+" reads all of "+match.Show(a.sc.Cwd)+", secrets too")
	}
	for _, u := range a.used {
		if len(a.up) == 0 || !a.up[0].Owns(u.Flag) {
			continue
		}
		switch u.Name {
		case "-c":
			key, value, _ := strings.Cut(u.val.Text, "=")
			if !u.val.Plain() || !a.s.GitSafe(key, value) {
				a.p.AddHidden("git -c", "the setting "+match.Show(key)+" may run programs")
			}
		case "-C": // it obeys the settings of the repository there
			if a.s.At(u.val.Text, &shell.Scope{}).Kind&(table.PathScratch|table.PathHere) ==
				table.PathScratch {
				a.p.AddHidden("git -C",
					"the settings of a repository in "+match.Show(u.val.Text)+" may run programs")
			}
		}
	}
	for _, o := range a.operands {
		// git show REVISION:FILE prints the file as it was.
		if _, file, ok := strings.Cut(o.Text, ":"); ok &&
			(a.name == "git show" || a.name == "git cat-file") {
			a.reads(shell.Lit(file))
		}
		if strings.HasPrefix(o.Text, "ext::") || strings.HasPrefix(o.Text, "fd::") ||
			strings.Contains(o.Text, "://-") || strings.HasPrefix(o.Text, "-o") {
			a.p.AddHidden("git ext::", "the address "+match.Show(o.Text)+" runs a program")
		}
	}
}

// gitCheckout tells branches from files, whose changes are lost.
func (a *argv) gitCheckout() {
	if a.flagged("-b", "-B", "--orphan", "-c", "-C", "--create") && a.name != "git restore" {
		return
	}
	if a.dashed >= 0 && a.dashed < len(a.operands) {
		a.p.Add(judgement.LosesFiles, a.name+" FILE",
			a.name+" throws away changes of "+match.Show(a.operands[a.dashed].Text))
		return
	}
	for i, o := range a.operands {
		at := a.s.At(o.Text, a.sc)
		if i > 0 || o.Glob || fileLike.Match(o.Text) && !versionBranch.Match(o.Text) ||
			at.Kind&table.PathAll != 0 || a.s.Look(at) != nil {
			a.p.Add(judgement.LosesFiles, a.name+" FILE",
				a.name+" throws away changes of "+match.Show(o.Text))
		}
	}
}

// fileLike finds a word that looks like files rather than a branch: a folder, or a name with an
// ending.
var fileLike = match.Regex{Text: `^(?:\.{1,2}(?:/.*)?|:[/(].*|.*/|(?:.*/)?[^/]+\.[A-Za-z]{1,5})$`}

// versionBranch finds a branch of versions: 2.x, v1.12.x.
var versionBranch = match.Regex{Text: `(?:^|/)[v0-9.]*x[v0-9.]*$`}

// gitConfig tells reading from writing, and harmless settings from others.
func (a *argv) gitConfig() {
	ops := a.operands
	for _, o := range ops {
		a.effect(table.IsSetting, o, "")
	}
	switch {
	case a.fixed, a.flagged("--unset", "--unset-all", "--remove-section"):
		return
	case len(ops) == 1 && a.name == "git config" && !a.flagged("--rename-section", "--add"):
		a.base = verdict.ReadOnly
		return
	}
	value := shell.First(ops[min(1, len(ops)):], "").Text
	if len(ops) == 0 || !ops[0].Known() || !a.s.GitSafe(ops[0].Text, value) {
		a.p.AddHidden("git config", "the setting may run programs later")
	}
}
