package classify

import "strings"

// fish classifies a command for fish, of which no parser is at hand. What fish
// reads as the other shells do is read with theirs: plain and quoted words,
// pipes, lists, redirections. All else is not seen, and so at least
// destructive. Words that fish knows and they don't, such as begin and and, are
// no programs of the table.
func (w *walker) fish(command string, parts *[]Part) {
	if strings.ContainsAny(command, "$(){}[]`\\<!^#%?") || strings.Contains(command, "&|") {
		w.unread(parts, nil, "dialect:fish", "only plain words, pipes and lists of fish are understood")
	}
	w.text(command, stream{}, &scope{cwd: w.o.Cwd}, parts)
}
