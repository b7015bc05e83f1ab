package classify

import (
	"slices"
	"strings"
)

// iex reads more of its language from its input when the program behind -S has started, unless
// that ends it.
func (a *argv) iex() {
	if a.name == "iex" && a.rest != nil && !slices.ContainsFunc(a.rest, func(wd word) bool {
		return strings.HasSuffix(strings.TrimSpace(wd.text), "System.halt(0)")
	}) {
		a.p.raise(destructive, a.name, "iex runs what it reads")
	}
}

// ghcid runs what stands behind --test in its interpreter: a function of the project, and for
// a command of the interpreter only :main.
func (a *argv) ghcid() {
	for _, u := range a.used {
		if !inList(" -T --test --run ", u.name) {
			continue
		}
		if word := strings.TrimPrefix(u.val.text, ":main"); !u.val.plain() ||
			strings.ContainsAny(word, ":!\"'`$;|\n") || strings.Contains(word, "System.") {
			a.p.raise(destructive, a.name+" "+u.name, "ghcid runs "+show(u.val.text))
		}
	}
}

// mixDo runs each task of its list as mix runs it alone: mix do deps.get, compile.
func (a *argv) mixDo() {
	task := []word{lit("mix")}
	run := func() {
		if len(task) > 1 {
			a.w.run(task, stream{}, a.sc, &a.p.Parts)
		}
		task = []word{lit("mix")}
	}
	from := slices.IndexFunc(a.words, func(wd word) bool { return wd.text == "do" }) + 1
	for _, o := range a.words[from:] {
		text := strings.TrimSuffix(o.text, ",")
		if text != "" && text != "+" {
			task = append(task, o.with(text))
		}
		if text != o.text || text == "+" {
			run()
		}
	}
	run()
}
