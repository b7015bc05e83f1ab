package classify

import (
	"path"
	"strings"

	"ua/internal/common/verdict"
)

// readDc is dc(1), a calculator: only ! and ? of its commands leave it. A ! before a
// comparison belongs to that.
func readDc(_ *argv, text string) (verdict.Level, string) {
	bare := strings.NewReplacer("!=", "", "!<", "", "!>", "").Replace(text)
	if strings.ContainsAny(bare, "!?") {
		return destructive, "dc runs a shell"
	}
	return readOnly, ""
}

// hash gives names other programs in zsh: hash NAME=PROGRAM.
func (a *argv) hash() {
	for _, o := range a.operands {
		if strings.Contains(o.text, "=") && !a.flagged("-d") {
			a.p.raise(destructive, "hash NAME=", "another program stands behind "+show(o.text)+" from then on")
		}
	}
}

// sbt's words are commands, some of which are Scala that runs.
func (a *argv) sbt() {
	for _, o := range a.operands {
		verb := strings.TrimLeft(o.text, ";+ ")
		verb, _, _ = strings.Cut(verb, " ")
		if inList(" set eval console consoleQuick consoleProject alias apply < load ", verb) ||
			strings.HasPrefix(verb, "!") || strings.HasPrefix(verb, "<") ||
			strings.Contains(o.text, ";") && strings.ContainsAny(o.text, "!{") {
			a.p.raise(destructive, "sbt "+verb, "sbt runs the Scala in "+show(o.text))
		}
	}
	a.targets()
}

// dockerBuild looks at the values of a build's flags: what they read, and where its
// result goes.
func (a *argv) dockerBuild() {
	for _, u := range a.used {
		fields := map[string]word{}
		for at := 0; at < len(u.val.text); {
			field, _, _ := strings.Cut(u.val.text[at:], ",")
			if key, _, ok := strings.Cut(field, "="); ok {
				val := u.val.cut(at + len(key) + 1)
				val.text = strings.TrimPrefix(field, key+"=")
				fields[key] = val
			}
			at += len(field) + 1
		}
		switch u.name {
		case "--secret", "--ssh":
			for _, key := range []string{"src", "source", "default"} {
				if val, ok := fields[key]; ok {
					a.reads(val)
				}
			}
		case "-o", "--output":
			dest, ok := fields["dest"]
			if !ok && len(fields) == 0 {
				dest = u.val
			}
			if dest.text != "" {
				a.effect(isTree, dest, u.name)
			}
		}
		if inList(" -o --output --cache-to ", u.name) && (fields["type"].text == "registry" ||
			fields["push"].text == "true") {
			a.p.raise(network, a.name+" "+u.name, a.name+" "+u.name+" talks to other machines")
		}
	}
	for _, o := range a.operands {
		if o.text == "-" {
			a.p.raise(destructive, a.name+" -", a.name+" builds what it reads")
		}
	}
}

// julia takes the project in --project=DIR, whose code it loads.
func (a *argv) julia() {
	for _, wd := range a.words {
		if strings.HasPrefix(wd.text, "--project=") && !strings.HasPrefix(wd.text, "--project=@") {
			a.plug("julia --project", wd.cut(len("--project=")))
		}
	}
}

// java runs a program of which nobody has read anything, unless the project has just
// built it. What stands behind it are the program's own words.
func (a *argv) java() {
	jar, ok := a.value("-jar")
	if !ok {
		return
	}
	a.base, a.fixed = destructive, true
	for dir := path.Dir(jar.text); below(jar.text) && dir != "."; dir = path.Dir(dir) {
		if inList(" build target dist out libs bin ", path.Base(dir)) {
			a.base = buildTest
		}
	}
}

// gitRemote asks the other side with show, but not with -n.
func (a *argv) gitRemote() {
	a.gitWord()
	if a.name == "git remote show" && a.flagged("-n") {
		a.base = readOnly
	}
}

// printing is a converter that prints what it makes when its output is named "-".
func (a *argv) printing() {
	to, named := a.value("-o", "--output", "-out")
	if !named {
		to = word{}
		if n := len(a.operands); n > 0 {
			to = a.operands[n-1]
		}
	}
	_, _, colon := strings.Cut(to.text, ":-")
	switch {
	case to.text == "-", to.text == "/dev/stdout", strings.HasPrefix(to.text, "pipe:"), colon,
		to.text == "stdout" && a.name == "tesseract":
		a.base = readOnly
	case !named && inList(printers, a.name):
		a.base = readOnly
	}
}

// printers are converters that print what they make unless -o names a file.
const printers = " pandoc dot neato fdp sfdp circo rsvg-convert markdown multimarkdown tidy recode uconv " +
	"xsltproc rst2html rst2man scdoc ronn pod2man pod2text pod2html md2man go-md2man uncrustify " +
	"textql q sqlformat sql-formatter xmlformat mmark help2man "

// scripts is a package manager that runs the tools and scripts of the project: a name
// that the table does not know is one of those.
func (a *argv) scripts() {
	name := first(a.rest, "")
	if name.text == "" || !name.plain() || strings.ContainsAny(name.text, "/.") ||
		a.sc.funcs[name.text] != nil || a.w.versioned(name.text) != nil || a.w.row(name.text) != nil {
		return
	}
	a.operands, a.rest = a.rest, nil
	for _, o := range a.operands {
		a.touch(o)
	}
	a.task(name.text)
}
