package classify

import (
	"slices"
	"strings"
)

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
