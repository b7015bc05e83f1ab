package code

import "strings"

// reachesInside reports whether a text, if a package evaluates it, reaches the inside of
// Python.
func reachesInside(text string) bool {
	return strings.Contains(text, "__") &&
		(strings.Contains(text, "__import__(") || strings.Contains(text, "__globals__") ||
			strings.Contains(text, "__subclasses__(") || strings.Contains(text, "__builtins__"))
}

// compared reports whether the text at i is only searched for, printed or written
// elsewhere.
func (r *reader) compared(i int) bool {
	if i+1 < len(r.at) && (r.at[i+1].text == "in" || r.at[i+1].is("=") || r.at[i+1].is("!")) ||
		i > 0 && r.at[i-1].is("=") && i > 1 &&
			(r.at[i-2].is("=") || r.at[i-2].is("!")) {
		return true
	}
	for k := i - 1; k > 0; k-- {
		if r.at[k].is(")") || r.at[k].kind == newline {
			return false
		}
		if r.at[k].is("(") && r.at[k-1].kind == word {
			return has(" print search findall match finditer sub compile split count find replace "+
				"startswith endswith index write write_text info ",
				r.at[k-1].text)
		}
	}
	return false
}
