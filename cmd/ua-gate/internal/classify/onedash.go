package classify

import "strings"

// spelledFlags are long flags that programs have with a single dash and that no program
// means as a cluster of letters.
const spelledFlags = " verbose version help strict summary format quiet silent debug json yaml " +
	"sarif nologo " +
	"noheader count skip include exclude ignore validate color nocolor depth threads parallel " +
	"timeout "

// spelled reports whether a word with one dash is a long flag, as Go's programs and
// Java's have them, and no cluster of letters: -ignore-missing-schemas. A program that
// changes files or has a reader of its own is not asked, for its letters may take values.
func (a *argv) spelled(t string) bool {
	if len(t) < 5 || a.row.level > buildTest || a.row.reader != "" {
		return false
	}
	name, _, _ := strings.Cut(t[1:], "=")
	if inList(spelledFlags, name) {
		return true
	}
	word, rest, dashed := strings.Cut(name, "-")
	return dashed && len(word) > 3 && len(rest) > 1 &&
		strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" &&
		strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// gluedValue reports whether the word is a compiler's letter with its value, which no
// cluster begins with: -Ilib, -DNAME, -Wall, -O2, -std=c++20.
func (a *argv) gluedValue(t string) bool {
	if len(t) < 3 || a.row.level != buildTest || a.row.reader != "" ||
		strings.IndexByte("IDUWO", t[1]) < 0 || a.has(t[:2]) {
		return false
	}
	for i := range a.row.flags {
		if f := &a.row.flags[i]; strings.HasPrefix(t, f.name) && len(f.name) > 2 {
			return false
		}
	}
	return t[1] != 'I' || below(t[2:]) || strings.HasPrefix(t, "-I/usr/") ||
		strings.HasPrefix(t, "-I/opt/")
}

// formatNames are values by which people choose how something is printed.
const formatNames = " json jsonl ndjson yaml yml xml csv tsv text txt plain line lines table " +
	"wide long short full compact " +
	"stylish unix github gitlab checkstyle junit tap sarif html markdown md pretty raw tty none " +
	"name names dot tree " +
	"human default simple concise grouped teamcity codeclimate stdout stderr gcc emacs vim vscode " +
	"pylint azure jsonpath "

// isFormat reports whether the value of a checker's flag for its output is a format and no
// file: --output=line, -o json.
func (a *argv) isFormat(flag, val string) bool {
	if a.row.level > buildTest || a.row.name == "sort" {
		return false
	}
	return flag == "--output" && inList(formatNames, strings.ToLower(val)) ||
		flag == "-o" && inList(" json yaml table wide sarif junit checkstyle jsonl ", val)
}
