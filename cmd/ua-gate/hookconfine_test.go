package main

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/plainreaders"
	"ua/internal/common/prog"
)

// FuzzConfined holds that a command which is put into the sandbox stays one word behind -c,
// whatever stands in it, in every shell that an agent may use, and that it is found there again.
func FuzzConfined(f *testing.F) {
	for _, text := range []string{"ls", "cd a && ls", "cd 'a b'; cat 'c d'",
		"echo 'a b'", `echo "it's" \'`, "'", "''", `\`, "a\nb",
		"make; rm -rf build", `'; touch ran; '`, "$(touch ran)", "`touch ran`", "!!", "'\\''", "\x00",
		"é'ü",
		"printf '%s\\n' \"$HOME\"", "cat <<'E'\n'\nE"} {
		f.Add(text)
	}
	o := options{ask: true, cwd: "/home/u/project"}
	g := gateWith(&prog.Env{}, o, policyOf(f))
	c := &confinement{before: "'/opt/ua sandbox' --profile PROFILE -- bash -c ", gate: g}
	f.Fuzz(func(t *testing.T, text string) {
		wrapped, _ := c.command(text)
		if wrapped == "" {
			return
		}
		if _, is := c.inside(wrapped); !is {
			t.Errorf("%q is not found in %q", text, wrapped)
		}
		if cd, rest := plainreaders.Cut(text); cd != "" && strings.HasPrefix(wrapped, cd) {
			wrapped, text = wrapped[len(cd):], rest
		}
		for _, dialect := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
			file, err := syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(wrapped), "")
			if err != nil || len(file.Stmts) != 1 {
				t.Fatalf("%q: %v", wrapped, err)
			}
			call, is := file.Stmts[0].Cmd.(*syntax.CallExpr)
			if !is || len(call.Args) != 7 || wordOf(call.Args[6]) != text {
				t.Fatalf("%q does not hold %q as its last word", wrapped, text)
			}
		}
	})
}

// wordOf returns the value of a word of quoted texts and escaped quotes.
func wordOf(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\'`, "'"))
		}
	}
	return b.String()
}
