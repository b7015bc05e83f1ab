package classify

import (
	"strings"
	"ua/cmd/ua-gate/internal/judgement"
)

// tar takes its first word apart if it is letters without a dash: their values
// follow in order.
func (a *argv) tar() {
	if len(a.words) > 0 && !strings.HasPrefix(a.words[0].text, "-") {
		// The old form: letters without a dash, whose values follow in the same order.
		var words []word
		values := a.words[1:]
		for _, c := range a.words[0].text {
			words = append(words, lit("-"+string(c)))
			if f, _ := a.lookup("-" + string(c)); f != nil && f.value != isNothing &&
				f.value != isGlued &&
				len(values) > 0 {
				words, values = append(words, values[0]), values[1:]
			}
		}
		a.words = append(words, values...)
	}
	a.parse()
	for _, u := range a.used {
		if u.level > readOnly {
			a.p.add(judgement.Of(u.level), "tar "+u.name, "tar "+u.name+" "+does(u.level))
		}
		// --checkpoint-action=exec=COMMAND runs it while the archive is read.
		if u.name != "--checkpoint-action" {
			a.effect(u.value, u.val, u.name)
		} else if action, cmd, _ := strings.Cut(u.val.text, "="); action == "exec" ||
			!u.val.known() {
			a.script("tar --checkpoint-action", lit(cmd), stream{})
		}
	}
	archive, named := a.value("-f", "--file")
	stdout := !named || archive.text == "-"
	extract := a.flagged("-x", "--extract", "--get")
	// tar reads HOST:FILE from another machine, by rsh.
	if host, _, colon := strings.Cut(archive.text, ":"); colon && !strings.Contains(host, "/") &&
		!a.flagged("--force-local") {
		a.p.add(talks, "tar -f", "tar talks to "+show(host))
	}
	switch {
	case a.flagged("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate",
		"--concatenate", "--delete"):
		for _, o := range a.operands {
			a.effect(isRead, o, "")
			if at := a.w.at(o.text, a.sc); at.abs == "~" || at.abs == "/" || at.abs == "/home" {
				a.p.add(readsSecrets, "path:secret",
					"tar takes all of "+show(o.text)+", secrets too")
			}
		}
		if !stdout {
			a.writes("tar -f", archive)
			a.w.overwrites(a.p, archive, a.sc)
		}
	case extract:
		// The archive chooses the names of what is written, in this folder or in that of
		// -C.
		if !a.flagged("-O", "--to-stdout") {
			a.base = write
			for _, flag := range []string{"-C", "--directory", "--one-top-level"} {
				if dir, ok := a.value(flag); ok {
					a.effect(isTree, dir, flag)
				}
			}
		}
		a.effect(isRead, archive, "-f")
	default:
		a.effect(isRead, archive, "-f")
	}
	// A name that is rewritten may lead out of the folder.
	for _, flag := range []string{"--transform", "--xform", "-s"} {
		if to, ok := a.value(flag); ok && extract {
			a.stray(to.with(strings.NewReplacer("|", ",", "#", ",", "!", ",").Replace(to.text)),
				false)
		}
	}
	a.base = max(a.base, readOnly)
}
