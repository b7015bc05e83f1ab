package code

import "strings"

// perlOpen handles Perl's open. The mode may be in one text with the file's name, and may
// be a pipe (perlfunc(1)).
func (r *reader) perlOpen(full string, args [][]token) {
	if len(args) < 2 {
		r.act(Unknown, full)
		return
	}
	mode, file := strings.TrimSpace(r.argument(args, 1)), ""
	if len(args) > 2 {
		file = r.argument(args, 2)
	}
	switch {
	case mode == "" || strings.HasPrefix(mode, Hole):
		r.act(Unknown, full)
	case len(args) > 3 && (mode == "|-" || mode == "-|"): // a program and its words
		words := make([]string, 0, len(args)-2)
		for n := 2; n < len(args); n++ {
			words = append(words, r.argument(args, n))
		}
		r.act(Argv, full, words...)
	case strings.HasPrefix(mode, "|") || strings.HasSuffix(mode, "|"):
		r.act(Shell, full, strings.Trim(mode, "|-")+file)
	case strings.HasPrefix(mode, ">") || strings.HasPrefix(mode, "+"):
		r.act(Write, full, strings.TrimSpace(strings.TrimLeft(mode, "+<>"))+file)
	default:
		r.act(Read, full, strings.TrimSpace(strings.TrimLeft(strings.SplitN(mode+":", ":", 2)[0],
			"<"))+file)
	}
}
