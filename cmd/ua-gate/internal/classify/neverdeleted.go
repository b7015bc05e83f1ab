package classify

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// everyName reports whether a name of a path is a pattern that matches all or nearly all names:
// *, .*, **, ?*, *.*.
func everyName(name string) bool {
	return strings.Contains(name, "*") &&
		strings.Trim(exceptLetter.replace(name, ""), "*?.[]!^") == ""
}

// exceptLetter finds a letter of a pattern that may be any but one or two.
var exceptLetter = regex{text: `\[[!^][\w.-]{1,2}\]`}

// deletes is the rule for what is lost: never a whole system or home.
func (a *argv) deletes(val word) {
	at := a.w.at(val.text, a.sc)
	if at.abs != "/" {
		a.w.reaches(a.p, a.w.place(path.Dir(at.abs)))
	}
	if a.w.kinds(at)&pathDisk != 0 {
		a.w.write(a.p, val, a.sc)
		return
	}
	names := at.names
	for len(names) > 0 && names[len(names)-1] == "*" {
		names = names[:len(names)-1]
	}
	whole := false
	switch {
	case strings.HasPrefix(at.abs, "/"):
		whole = len(names) == 0 || names[0] == "" || len(names) == 1 && systemRoot(names[0])
	case strings.HasPrefix(at.abs, "~"):
		whole = len(names) <= 1
	}
	a.emptied(val)
	if whole || a.wipes(at) {
		a.p.addBy(never, "path:root", "deletes "+named(val.text), val.text)
	} else {
		a.lost(val, "deletes")
	}
}

// emptied holds the part for a word that is all of the workspace if what is not known in it is
// empty: "$DIR"/*. ${DIR:?} never is. That rm never takes / and . themselves.
func (a *argv) emptied(val word) {
	rest := strings.ReplaceAll(val.text, hole, "")
	if rest == val.text || strings.Trim(rest, "./") == "" || val.from&fromTemp != 0 ||
		val.glob && strings.Contains(val.text, "*"+hole) || val.src != nil && neverEmpty(val.src) {
		return
	}
	if strings.Trim(rest, "/*") == "" || a.wipes(a.w.at(rest, a.sc)) {
		a.p.hold("path:empty", a.name+" deletes "+show(rest)+
			" if what is not known in "+show(val.text)+" is empty: write ${NAME:?}")
	}
}

// neverEmpty reports whether a word's variables all end the command if they are empty.
func neverEmpty(word *syntax.Word) bool {
	sure := true
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			sure = sure && n.Exp != nil && (n.Exp.Op == syntax.ErrorUnsetOrNull ||
				n.Exp.Op == syntax.DefaultUnsetOrNull && n.Exp.Word != nil)
		case *syntax.CmdSubst:
			sure = false
		}
		return sure
	})
	return sure
}

// wipes reports whether the place is all of the workspace: the folder itself, one
// above it, everything in it, or its history.
func (a *argv) wipes(at place) bool {
	if a.w.o.Cwd == "" {
		return false
	}
	cwd := a.w.folder(a.w.o.Cwd).abs
	folder := at.abs
	for i := strings.LastIndexByte(folder, '/'); i > 0 && everyName(folder[i+1:]); {
		folder = folder[:i]
		i = strings.LastIndexByte(folder, '/')
	}
	inGit, ok := strings.CutPrefix(folder, cwd+"/.git")
	above := strings.TrimSuffix(folder, "/") + "/"
	return folder == cwd || strings.HasPrefix(cwd, above) || strings.HasPrefix(a.w.o.Home, above) ||
		ok && (inGit == "" || inList(" /objects /refs /refs/heads /HEAD ", inGit))
}

// systemRoot reports whether the name, right below the root, is part of every
// system, or may be.
func systemRoot(name string) bool {
	if name == "tmp" || name == "mnt" || name == "data" || name == hole {
		return false
	}
	for _, n := range []string{"bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc",
		"root", "sbin", "srv", "sys", "usr", "var", "Users", "System", "Library", "Applications",
		"private"} {
		if name == n || strings.ContainsAny(name, "*?[") && cross(name, n, 0) {
			return true
		}
	}
	return false
}

// mv loses what it moves onto a device, and the device if it moves that.
func (a *argv) mv() {
	target, _ := a.value("-t", "--target-directory")
	for _, o := range a.operands[:max(0, len(a.operands)-1)] {
		if at := a.w.at(o.text, a.sc); a.wipes(at) || a.w.history(at) {
			a.p.hold("path:root", "mv takes away "+show(o.text))
		}
		a.w.overwrites(a.p, word{text: strings.TrimSuffix(o.text, "/"), from: o.from}, a.sc)
	}
	to, from := target, a.operands
	if target.text == "" && len(from) > 0 {
		to, from = from[len(from)-1], from[:len(from)-1]
	}
	for _, o := range from {
		a.movesAway(o, to)
	}
	for _, o := range append(a.operands, target) {
		if at := a.w.at(o.text, a.sc); strings.HasPrefix(at.abs, "/dev/") &&
			!at.within("/dev/shm") {
			a.p.add(losesFiles, "mv DEVICE", "mv loses what it moves to or from "+show(o.text))
		}
	}
}

// movesAway is the rule for a file of the project that is moved out of the workspace.
func (a *argv) movesAway(from, to word) {
	away := a.w.at(to.text, a.sc)
	ours := from.unknownName() && from.from&fromTemp == 0 ||
		from.plain() && a.w.inWorkspace(a.w.at(from.text, a.sc))
	if ours && !a.w.inWorkspace(away) && !a.madeHere(from) &&
		(away.within("/tmp") || away.within("/dev/shm") || away.within("/var/tmp")) {
		a.p.hold("path:vanishes", a.name+" moves "+show(from.text)+" to "+show(to.text)+
			", which goes with the run: keep it in the workspace")
	}
}
