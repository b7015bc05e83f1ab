package program

import (
	"cmp"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/secret"
	"ua/internal/common/verdict"
)

// code is the rule for a text in another language. A text of which nothing can
// be said is destructive.
func (a *argv) code(label string, val shell.Word) {
	if val.From&(shell.FromNet|shell.FromDecode) != 0 {
		scriptFrom(a.p, val.From, label)
		return
	}
	if val.Text == match.Hole || strings.HasPrefix(val.Text, match.Hole) && len(val.Text) < 4 {
		a.p.AddHidden(label, label+" runs code that is not known")
		return
	}
	// A value that is filled in later stands as 0, so that the text can be lexed.
	text := homes.Replace(strings.ReplaceAll(val.Text, match.Hole, "0"))
	if a.name == "ipython" && strings.ContainsAny(text, "!%") {
		a.p.AddHidden(label, label+" runs a line of a shell or a magic command")
		return
	}
	if read := codeReaders[a.row.Reader]; read != nil {
		read(a, label, text)
		return
	}
	if strings.Contains(val.Text, match.Hole) {
		a.base = max(a.base, verdict.BuildTest) // what fills it in may be code, too
	}
	acts, values := code.Acts(cmp.Or(a.row.Reader, a.name), text)
	// What only computes opens no file and no address that it names.
	calm := !slices.ContainsFunc(acts, func(act code.Act) bool {
		return act.Kind == code.Unread || act.Kind == code.Net
	})
	for i := range acts {
		// Where no argument says which file is written, any text may.
		if act := &acts[i]; act.Kind == code.Write && len(act.Args) == 0 {
			act.Args = slices.DeleteFunc(slices.Clone(values), func(v string) bool {
				return !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "~")
			})
		}
		a.act(label, &acts[i])
	}
	for _, v := range values {
		if !strings.HasPrefix(v, code.Hole) && !strings.ContainsAny(v, " \n") {
			a.reads(shell.Lit(v))
			if strings.Contains(v, "*") && a.kinds(shell.Lit(v))&table.PathMixed != 0 {
				a.p.Add(judgement.ReadsSecrets, "path:secret", a.name+" reads all of "+match.Show(v))
			}
		}
		if strings.Contains(v, "|") ||
			!calm && strings.Contains(v, "://") && !strings.HasSuffix(v, "://") {
			a.address(table.IsRead, label, shell.Lit(v))
		}
	}
	if a.row.Reader == "python" && a.shadowed() {
		a.p.Add(judgement.RunsUnread, label, a.name+" loads a module that this command has just written")
	}
	a.backdoor(label, acts)
}

// act judges one thing that a text of a language does.
func (a *argv) act(label string, act *code.Act) {
	says := a.name + ": " + match.Show(act.Name)
	known := slices.DeleteFunc(slices.Clone(act.Args), func(v string) bool {
		return v == "" || strings.Contains(v, code.Hole)
	})
	switch act.Kind {
	case code.Unread:
		a.p.Add(judgement.RunsUnread, label, says+" may do anything")
	case code.Write:
		a.p.Add(judgement.WritesHere, label, says+" writes files")
		if slices.Contains(known, "/dev/null") && movesByName(act.Name) {
			a.p.Add(judgement.LosesFiles, label, says+" loses what it moves to /dev/null")
		}
		if len(known) == 2 && movesByName(act.Name) {
			a.movesAway(shell.Lit(known[0]), shell.Lit(known[1]))
		}
		for _, path := range known {
			a.writes(label, shell.Lit(path), true)
		}
	case code.Delete:
		a.p.Add(judgement.LosesFiles, label, says+" deletes "+match.Show(strings.Join(act.Args, " ")))
		// Which files these are nobody can tell: they may be all.
		if len(known) < max(len(act.Args), 1) || slices.ContainsFunc(known, func(v string) bool {
			return slices.ContainsFunc(strings.Fields(v), match.EveryName)
		}) {
			a.p.Held = true
		}
		for _, path := range known {
			a.deletes(shell.Lit(path))
		}
	case code.Command:
		a.p.Add(judgement.RunsUnread, label, says+" runs a command")
		a.runsCommand(label, act.Args)
	case code.Net:
		a.p.Add(judgement.TalksToHosts, label, says+" talks to other machines")
	case code.Env:
		a.environment(label, known)
	case code.SQL:
		for _, statement := range known {
			readSQL(a, label, statement)
		}
	}
}

// environment judges code that reads variables, by the words behind the name of all of them.
func (a *argv) environment(label string, words []string) {
	if len(words) > 0 && match.InList(" key? keys has ", words[0]) {
		return
	}
	for _, name := range words {
		if secret.Name(name) {
			a.out |= shell.FromSecret
			a.p.Add(judgement.ReadsSecrets, label, a.name+" reads the secret variable "+match.Show(name))
		}
	}
	if len(words) > 1 && match.InList(" get fetch ", words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || words[0] != strings.ToUpper(words[0]) {
		a.p.Add(judgement.RunsUnread, label, a.name+" reads variables of unknown names")
	}
}

// runsCommand judges what code runs: one text by a shell, or a program with its words. Pieces that
// are not known stand as variables that are not.
func (a *argv) runsCommand(label string, args []string) {
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], code.Hole) {
		return
	}
	if strings.ContainsAny(args[0], " \t\n;|&") || len(args) == 1 {
		a.script(label, shell.Lit(strings.ReplaceAll(args[0], code.Hole, "$_unknown")), shell.Stream{})
		return
	}
	list := make([]shell.Word, len(args))
	for i, w := range args {
		list[i] = shell.Lit(strings.ReplaceAll(w, code.Hole, match.Hole))
	}
	a.out |= a.s.runWords(list, shell.Stream{}, a.sc.Sub(), &a.p.Parts).Bits
}

// backdoor is the rule for code that talks to other machines and runs what it is
// told: it gives them a shell.
func (a *argv) backdoor(label string, acts []code.Act) {
	net, runs := false, false
	for _, act := range acts {
		net = net || act.Kind == code.Net
		runs = runs || act.Kind == code.Command
	}
	if net && runs {
		a.p.Add(judgement.RunsStrangers, label, label+" runs code that gives another machine a shell")
	}
}

// A codeReader adds to the command what a text in another language does.
type codeReader func(a *argv, label, text string)

// codeReaders are the readers of small languages. The large ones are read by package code.
var codeReaders = map[string]codeReader{"sed": readSed, "awk": readAwk, "sql": readSQL}

// codeText returns the code that a flag's value stands for: the module that -M of Perl
// or -r of Ruby names is loaded before the text.
func codeText(reader string, u use) string {
	switch {
	case reader == "perl" && (u.Name == "-M" || u.Name == "-m"):
		module, imports, _ := strings.Cut(u.val.Text, "=")
		if strings.ContainsAny(module, ";\n") {
			return "use " + strings.TrimLeft(u.val.Text, "- ") + ";\n"
		}
		return "use " + strings.Trim(module, "- ") + " qw(" + strings.NewReplacer("(", "", ")",
			"").Replace(imports) + ")\n;"
	case reader == "ruby" && u.Name == "-r":
		return "require '" + strings.ReplaceAll(u.val.Text, "'", "") + "'\n"
	}
	return u.val.Text + "\n"
}

// homes writes as ~ what stands for the home at the beginning of a text in other languages.
var homes = strings.NewReplacer(`"$ENV{HOME}/`, `"~/`, "`${process.env.HOME}/", "`~/", "?.(", "(",
	"?.[", "[",
	`ENVIRON["HOME"] "/`, `"~/`)

// movesByName reports whether the function of that name moves a file.
func movesByName(name string) bool {
	last := strings.ToLower(name[strings.LastIndexAny(name, ".:")+1:])
	return strings.Contains(last, "rename") || strings.Contains(last, "move") ||
		match.InList(" mv replace ", last)
}
