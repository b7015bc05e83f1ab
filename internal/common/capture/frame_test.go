package capture

import "testing"

func TestFrame(t *testing.T) {
	for text, want := range map[string]string{
		"":      "",
		"a":     "<terminal_output>\na\n</terminal_output>\n",
		"a\n":   "<terminal_output>\na\n</terminal_output>\n",
		"a\n\n": "<terminal_output>\na\n\n</terminal_output>\n",
		"\n":    "<terminal_output>\n\n</terminal_output>\n",
	} {
		if got := Frame(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestWholeRunes: what is cut out of a text takes no part of a character.
func TestWholeRunes(t *testing.T) {
	for _, c := range []struct{ text, head, tail string }{
		{"", "", ""}, {"abc", "abc", "abc"}, {"ü", "ü", "ü"}, {"aü"[:2], "a", "a\xc3"},
		{"a漢"[:2], "a", "a\xe6"}, {"a漢"[:3], "a", "a\xe6\xbc"}, {"a漢", "a漢", "a漢"},
		{"a😀"[:4], "a", "a😀"[:4]},
		{"😀"[1:] + "a", "\x9f\x98\x80a", "a"},
		{"漢"[2:] + "b", "\xa2b", "b"}, {"\x80", "\x80", "\x80"},
		{"\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80"}, // no text: as it is
		{"a\xff", "a\xff", "a\xff"},
	} {
		if got := string(wholeRunes([]byte(c.text))); got != c.head {
			t.Errorf("%q: head %q, want %q", c.text, got, c.head)
		}
		if got := string(tailRunes([]byte(c.text))); got != c.tail {
			t.Errorf("%q: tail %q, want %q", c.text, got, c.tail)
		}
	}
}

func TestClamp(t *testing.T) {
	const cut = "\n[ua-exec: the rest is cut off]"
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab" + cut},
		{"aü", 2, "a" + cut}, {"aü", 3, "aü"}, {"ü", 1, cut}, {"", 0, ""},
	} {
		if got := clamp(c.text, c.limit); got != c.want {
			t.Errorf("%q to %d: %q", c.text, c.limit, got)
		}
	}
}
