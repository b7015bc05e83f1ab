package style

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Printable("a\x1b[31mb\tc\n\u202ed\x7f"), "a^[[31mb\tc\n<U+202E>d<U+007F>"},
		{Printable("grün 漢字 👩‍🚀"), "grün 漢字 👩‍🚀"},
		{Printable("a\u200b\u061c\U000e0041\u00adb\u2028"),
			"a<U+200B><U+061C><U+E0041><U+00AD>b<U+2028>"},
		{FirstLine("  one\ntwo", 10), "one …"},
		{FirstLine("ünö\x07", 2), "ün …"},
		{FirstLine("x\x07", 9), "x^G"},
		{Count(999), "999"}, {Count(2449), "2.4k"}, {Count(9960), "10k"}, {Count(1200000), "1.2M"},
		{Count(78_100_000_000), "78.1G"},
		{Plural(1, "cmd"), "1 cmd"}, {Plural(0, "cmd"), "0 cmds"},
		{Seconds(4560 * time.Millisecond), "4.6s"}, {Seconds(771100 * time.Millisecond), "12m51s"},
		{Style(false).Risk("write"), "▐ write"},
		{Style(true).Risk("denied"), "\x1b[31m▐ denied\x1b[0m"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"ls -l\tx\ny": "ls -l\tx\ny", "a\u202eb": "a<U+202E>b", "é 中": "é 中", "\u200b": "<U+200B>",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestUnseen: letters, marks and symbols that show nothing are shown as codes.
func TestUnseen(t *testing.T) {
	for _, r := range "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\ufe00\ufe0f\uffa0\U000e0100\u200d" +
		"\u200b\u061c\U000e0041\u00a0\u3000" {
		if got := Visible("a" + string(r) + "b"); !strings.HasPrefix(got, "a<U+") {
			t.Errorf("%U: %q", r, got)
		}
	}
	if plain := "ü漢e\u0301👩🏽⚠"; Visible(plain) != plain {
		t.Errorf("%q", Visible(plain))
	}
}

// TestEightBit: where the terminal takes bytes, no byte of a character is a control to it.
func TestEightBit(t *testing.T) {
	defer func(old func() bool) { eightBit = old }(eightBit)
	for locale, want := range map[string]bool{"": false, "C.UTF-8": false, "de_DE.utf8": false,
		"en_US.UTF-8@x": false, "C": true, "POSIX": true, "de_DE": true, "de_DE.ISO-8859-1": true} {
		eightBit = func() bool { return bytesIn(locale) }
		const text = "é ě]0;x漢ĝ"
		out := Printable(text) + Visible(text)
		var b strings.Builder
		e := NewEscaper(&b)
		e.Write([]byte(text))
		out += b.String()
		controls := strings.ContainsFunc(out, hasC1)
		if !strings.Contains(out, "é") || controls == want || bytesIn(locale) != want {
			t.Errorf("%q: %q", locale, out)
		}
	}
}

func TestDollars(t *testing.T) {
	for usd, want := range map[float64]string{0: "", 0.00004: "$0.0000", 0.01234: "$0.0123",
		12: "$12.0000"} {
		if got := Dollars(usd); got != want {
			t.Errorf("%g: %q, want %q", usd, got, want)
		}
	}
}

// FuzzPrintable: whatever a model, a command or a file says, nothing of it drives a
// terminal, in UTF-8 or with 8-bit controls (ECMA-35), and plain text stays as it is.
func FuzzPrintable(f *testing.F) {
	for _, seed := range []string{
		"a\x1b[31mb", "\x9b31m", "\xc2\x9b31m", "gr\xfcn", "\u202e\x9b", "\xe2\x80", "ok\tü\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Printable(text)
		plain := utf8.ValidString(text)
		for _, r := range text {
			plain = plain && !control(r)
		}
		if !utf8.ValidString(got) || plain && got != text || !plain && got == text {
			t.Errorf("%q: %q", text, got)
		}
		for _, r := range got {
			if control(r) {
				t.Errorf("%q: %q has %U", text, got, r)
			}
		}
		var out strings.Builder
		e := NewEscaper(&out)
		if _, err := e.Write([]byte(text)); err != nil || e.Flush() != nil {
			t.Error(err)
		}
		// An Escaper shows the same, but for a CR at the end of a line.
		if !strings.Contains(text, "\r") && out.String() != got {
			t.Errorf("%q: printable %q, escaped %q", text, got, out.String())
		}
	})
}
