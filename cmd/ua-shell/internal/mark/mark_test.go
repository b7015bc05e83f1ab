package mark

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const nonce = "0123456789abcdef"

// run feeds the text in pieces that end at the places and returns what passed
// and what was told, in order.
func run(text string, ends ...int) (passed string, events []string) {
	p := New(nonce)
	var b strings.Builder
	p.Text = func(t []byte) { b.Write(t) }
	p.Event = func(e Event) { events = append(events, fmt.Sprintf("%d:%v", b.Len(), e)) }
	last := 0
	for _, end := range append(ends, len(text)) {
		end = max(last, min(end, len(text)))
		p.Feed([]byte(text[last:end]))
		last = end
	}
	p.Flush()
	return b.String(), events
}

func ours(body string) string { return "\x1b]" + Number + ";" + nonce + ";" + body + "\a" }

func TestFeed(t *testing.T) {
	for _, c := range []struct {
		in, passed string
		events     string
	}{
		{"plain text \xff\x9c", "plain text \xff\x9c", "[]"},
		{"a" + ours("B") + "b", "ab", "[1:{0 66  0 false}]"},
		{ours("D;0;q/tmp") + ours("P"), "", "[0:{0 68 0;q/tmp 0 false} 0:{0 80  0 false}]"},
		{"\x1b]" + Number + ";wrong;B\a", "\x1b]" + Number + ";wrong;B\a", "[]"},
		{"\x1b]133;A;cl=m\ax", "\x1b]133;A;cl=m\ax", "[7:{1 65  0 false}]"},
		{"\x1b]7;file:///x\x1b\\" + ours("C"), "\x1b]7;file:///x\x1b\\", "[15:{0 67  0 false}]"},
		{"\x1b[?2004h\x1b[?1;1049l", "\x1b[?2004h\x1b[?1;1049l",
			"[8:{2 0  2004 true} 18:{2 0  1 false} 18:{2 0  1049 false}]"},
		{"\x1b[?25\x1b[31m\x1b[2J", "\x1b[?25\x1b[31m\x1b[2J", "[]"},
		{"\x1b]" + Number + ";" + nonce + ";E;q\nx", "\x1b]" + Number + ";" + nonce + ";E;q\nx", "[]"},
		{"\x1b]" + Number + ";\x1b" + ours("B")[1:], "\x1b]" + Number + ";", "[7:{0 66  0 false}]"},
		{"\x1b" + ours("B"), "\x1b", "[1:{0 66  0 false}]"},
		{"\x1b\x1b" + ours("B"), "\x1b\x1b", "[2:{0 66  0 false}]"},
		{"\x1bP1;2|" + ours("C") + "\x1b\\", "\x1bP1;2|\x1b\\", "[6:{0 67  0 false}]"},
		{"\x1b]133", "\x1b]133", "[]"},
		{"\x1b]1337;File=x\a", "\x1b]1337;File=x\a", "[]"},
	} {
		passed, events := run(c.in)
		if passed != c.passed || fmt.Sprint(events) != c.events {
			t.Errorf("%q: %q %v, want %q %s", c.in, passed, events, c.passed, c.events)
		}
	}
}

// A mark with more than a line of a megabyte is taken out whole, and told in part.
func TestLongMark(t *testing.T) {
	long := "a" + ours("E;q"+strings.Repeat("x", 3*maxBody)) + "b" + ours("B")
	for _, ends := range [][]int{nil, {100, maxBody, 2 * maxBody, len(long) - 20}} {
		passed, events := run(long, ends...)
		if passed != "ab" || len(events) != 2 || len(events[0]) > maxBody+100 {
			t.Errorf("%d bytes passed, %d events", len(passed), len(events))
		}
	}
}

// An ESC at the end of a piece passes at once; a mark behind it leaves a
// complete ST.
func TestLoneEscapePasses(t *testing.T) {
	p := New(nonce)
	var b strings.Builder
	p.Text = func(t []byte) { b.Write(t) }
	p.Feed([]byte("a\x1b"))
	if b.String() != "a\x1b" {
		t.Fatalf("%q", b.String())
	}
	p.Feed([]byte(ours("B")[1:] + "b"))
	if b.String() != "a\x1b\\b" {
		t.Errorf("%q", b.String())
	}
}

// FuzzFeed holds that it does not matter where the output is split, but for the
// ST after an ESC that had to pass, and that nothing but our marks is taken out.
func FuzzFeed(f *testing.F) {
	f.Add("a\x1b]133;A\ab"+ours("D;1;q/")+"\x1b[?2004h", 3, 9)
	f.Add("\x1b]7283;\x1b]7283;"+ours("B"), 2, 8)
	f.Fuzz(func(t *testing.T, text string, a, b int) {
		text = strings.ReplaceAll(text, "N", nonce)
		whole, events := run(text)
		ends := []int{a, b}
		slices.Sort(ends)
		parts, others := run(text, ends...)
		kinds := func(list []string) (out []string) {
			for _, e := range list {
				_, kind, _ := strings.Cut(e, ":")
				out = append(out, kind)
			}
			return out
		}
		if !slices.Equal(kinds(events), kinds(others)) {
			t.Fatalf("%q split at %v tells %v, whole %v", text, ends, others, events)
		}
		if strings.ReplaceAll(parts, "\x1b\\", "") != strings.ReplaceAll(whole, "\x1b\\", "") {
			t.Fatalf("%q split at %v gives %q, whole %q", text, ends, parts, whole)
		}
		if !strings.Contains(text, nonce) && (whole != text || parts != text) {
			t.Fatalf("%q became %q and %q", text, whole, parts)
		}
	})
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "q''": "", "qls\\ -l\\ \\$x": "ls -l $x",
		`q$'a\n\001b \303\251 \E]x;\a ; "q\'z \377 \177'`: "a\n\x01b é \x1b]x;\a ; \"q'z \xff \x7f",
		"q'a b'\\''c'": "a b'c", "ua%0A%C3%A9%3Bb%20%25": "a\né;b %", "q\\": "\\", "q$'\\": "\\",
		"q$'x": "x", `q$'\u00e9\x41\xg'`: "éA\x00g", "qé~": "é~", "u%zz": "%zz",
	} {
		if got := Unquote(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	f.Add(`q$'a\n\377'\ 'x'`)
	f.Fuzz(func(t *testing.T, s string) {
		Unquote(s)
		for _, how := range []byte("qu") {
			if got := Unquote(string(how) + Quote(how, s)); got != s {
				t.Errorf("%c: %q became %q", how, s, got)
			}
		}
	})
}

// BenchmarkFeed reads what a compiler or ls prints: colours on every line.
func BenchmarkFeed(b *testing.B) {
	for name, line := range map[string]string{"plain": strings.Repeat("a", 77) + "\n",
		"coloured": "\x1b[01;34mfolder\x1b[0m  \x1b[01;32mprogram\x1b[0m  \x1b[K some text behind\n"} {
		b.Run(name, func(b *testing.B) {
			text := []byte(strings.Repeat(line, 64<<10/len(line)))
			p := New(nonce)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				p.Feed(text)
			}
		})
	}
}
