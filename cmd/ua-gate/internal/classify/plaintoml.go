package classify

import (
	"iter"
	"strings"
)

// plainKeys reads the part of TOML that the embedded table is written in, at a
// twentieth of the cost of the whole language: keys with basic strings, and
// inline tables of these, whose keys come as TABLE.KEY. A header comes as a key
// with its brackets. Arrays are passed over. TestOnDemand holds the embedded
// table to it.
func plainKeys(text string) iter.Seq2[string, string] {
	return func(yield func(key, val string) bool) {
		for text != "" {
			line, rest, _ := strings.Cut(text, "\n")
			key, val, set := strings.Cut(line, " = ")
			switch {
			case strings.HasPrefix(line, "["):
				if !yield(line, "") {
					return
				}
			case !set || strings.HasPrefix(line, "#"):
			case strings.HasPrefix(val, `"`):
				val, rest = plainString(text[len(key)+len(" = "):])
				if !yield(key, val) {
					return
				}
			case strings.HasPrefix(val, "{"):
				for inner := strings.TrimLeft(val, "{ "); inner != "" &&
					inner[0] != '}'; inner = strings.TrimLeft(inner, ", ") {
					name, after, _ := strings.Cut(inner, " = ")
					val, inner = plainString(after)
					if !yield(key+"."+name, val) {
						return
					}
				}
			}
			text = rest
		}
	}
}

// plainString reads the string that the text begins with, and gives back what
// follows it.
func plainString(text string) (val, rest string) {
	if long, ok := strings.CutPrefix(text, `"""`); ok {
		val, rest, _ = strings.Cut(strings.TrimPrefix(long, "\n"), `"""`)
	} else {
		end := 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(text))
		val, rest = text[min(1, end):end], text[min(end+1, len(text)):]
	}
	if strings.Contains(val, `\`) {
		val = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t").Replace(val)
	}
	return val, rest
}
