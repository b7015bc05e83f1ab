package classify

import "strings"

// A codeReader adds to the command what a text in another language does.
type codeReader func(a *argv, label, text string)

// readerOfCode returns the reader of a small language. The large ones are read by
// package code.
func readerOfCode(name string) codeReader {
	switch name {
	case "sed":
		return readSed
	case "awk":
		return readAwk
	case "sql":
		return readSQL
	}
	return nil
}

// codeText returns the code that a flag's value stands for: the module that -M of Perl
// or -r of Ruby names is loaded before the text.
func codeText(reader string, u use) string {
	switch {
	case reader == "perl" && (u.name == "-M" || u.name == "-m"):
		module, imports, _ := strings.Cut(u.val.text, "=")
		if strings.ContainsAny(module, ";\n") {
			return "use " + strings.TrimLeft(u.val.text, "- ") + ";\n"
		}
		return "use " + strings.Trim(module, "- ") + " qw(" + strings.NewReplacer("(", "", ")",
			"").Replace(imports) + ")\n;"
	case reader == "ruby" && u.name == "-r":
		return "require '" + strings.ReplaceAll(u.val.text, "'", "") + "'\n"
	}
	return u.val.text + "\n"
}
