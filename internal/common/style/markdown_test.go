package style

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// plainMarks shows escape sequences as short words.
var plainMarks = strings.NewReplacer("\x1b[1m", "<b>", "\x1b[2m", "<d>", "\x1b[36m", "<c>",
	"\x1b[0m", "</>")

// The text is rendered the same in whatever pieces it comes.
func TestMarkdown(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("TERM", "xterm")
	for text, want := range map[string]string{
		"plain":                          "plain",
		"# Head\ntext\n":                 "<b>Head</>\ntext\n",
		"### A **b** c":                  "<b>A b c</>",
		"#5 is no head, #include":        "#5 is no head, #include",
		"- a\n* b\n  + c\n-d\n1. e\n---": "• a\n• b\n  • c\n-d\n1. e\n---",
		"a **b c** d":                    "a <b>b c</> d",
		"**b**: `c`, ``d`e``":            "<b>b</>: <c>c</>, <c>d`e</>",
		"2**3 and 4 ** 5\n**6":           "2**3 and 4 ** 5\n**6",
		"one ` only\nand *it* `x":        "one ` only\nand *it* `x",
		"***all***":                      "***all***",
		"```go\nf(`a`)\n\n**b** # c\n```\n`d`": "<d>```go</>\n<c>f(`a`)</>\n\n<c>**b** # c</>\n" +
			"<d>```</>\n<c>d</>",
		"````\n```\n````\n- x": "<d>````</>\n<c>```</>\n<d>````</>\n• x",
		"~~~\nx\n~~~\n":        "<d>~~~</>\n<c>x</>\n<d>~~~</>\n",
		"\n\n  \n":             "\n\n  \n",
		"glob *.go and a*b":    "glob *.go and a*b",
		"grün `ü` **ß**":       "grün <c>ü</> <b>ß</>",
	} {
		for size := 1; size <= len(text); size++ {
			m, got := NewMarkdown(true), ""
			for at := 0; at < len(text); at += size {
				got += m.Write(text[at:min(at+size, len(text))])
			}
			got = plainMarks.Replace(got + m.End())
			if got = strings.ReplaceAll(got, "</><c>", ""); got != want { // code in pieces
				t.Errorf("%q in pieces of %d: %q, want %q", text, size, got, want)
				break
			}
		}
		if m := NewMarkdown(false); m.Write(text)+m.End() != text {
			t.Errorf("%q is changed without colours", text)
		}
	}
}

// Text without marks is printed at once.
func TestMarkdownStreams(t *testing.T) {
	m := NewMarkdown(true)
	for _, piece := range []string{"The ", "answer", " is", "\nhere", ", in a"} {
		if got := m.Write(piece); got != piece {
			t.Errorf("%q for %q", got, piece)
		}
	}
}

// FuzzMarkdown: whatever comes in whatever pieces, no character gets lost but marks.
func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n- **b** `c`\n```\nd\n```\n", 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 || size > 1000 || !utf8.ValidString(text) {
			return
		}
		m, got := NewMarkdown(true), ""
		for at := 0; at < len(text); at += size {
			got += m.Write(text[at:min(at+size, len(text))])
		}
		got += m.End()
		const marks = "#*`~-+•. \t"
		strip := func(s string) string {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(marks, r) {
					return -1
				}
				return r
			}, s)
		}
		for _, code := range []string{"\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[0m"} {
			if strings.Contains(text, code) {
				return
			}
			got = strings.ReplaceAll(got, code, "")
		}
		if strip(got) != strip(text) {
			t.Errorf("%q in pieces of %d: %q", text, size, got)
		}
	})
}
