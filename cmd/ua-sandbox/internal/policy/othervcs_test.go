package policy

import (
	"strings"
	"testing"
)

// What is kept of settings is what does nothing, line by line.
func TestSift(t *testing.T) {
	for _, c := range []struct{ allowed, text, why, rest string }{
		{hgrc, "", "", ""},
		{hgrc, "# a comment\n[paths]\ndefault = ssh://host/x\ndefault:pushurl = y\n\n" +
			"[ui]\nusername = me\n", "", ""},
		{hgrc, "[paths]\na = b\n[hooks]\nupdate = evil\n", "[hooks]", "[paths]\na = b\n"},
		{hgrc, "[ui]\nusername = me\neditor = evil\n", "editor = evil", "[ui]\nusername = me\n"},
		{hgrc, "[paths]\na = b\r[hooks]\rupdate = evil\n", "a = b\r[hooks]\rupdate = evil", "[paths]\n"},
		{hgrc, "# x\x0c[hooks]\n", "# x\x0c[hooks]", ""},
		{hgrc, "[paths]\n%include ../evil\n", "%include ../evil", "[paths]\n"},
		{hgrc, "[paths]\na = b\n [hooks]\n update = evil\n", "[hooks]", "[paths]\na = b\n"},
		{hgrc, "[]\n[extensions]\nx = evil.py", "[]", ""},
		{hgrc, "[hooks\n]\n[paths]\na = b\n", "[hooks", "[paths]\na = b\n"},
		{breezy, "parent_location = file:///x\n[a]\nnickname = x\n", "[a]",
			"parent_location = file:///x\n"},
		{breezy, "nickname = x\u2028change_editor = evil\n",
			"nickname = x\u2028change_editor = evil", ""},
		{"", "ALL posthook evil\n", "ALL posthook evil", ""},
		{".boringfile", "boringfile .boring\ntest evil\n", "test evil", "boringfile .boring\n"},
		{".default_remote", "default_remote = \"x\"\n[hooks]\nrecord = [\"evil\"]\n", "[hooks]",
			"default_remote = \"x\"\n"},
	} {
		why, rest := sift([]byte(c.text), strings.Fields(c.allowed))
		if why != c.why || string(rest) != c.rest {
			t.Errorf("%q: %q, %q", c.text, why, rest)
		}
	}
}

// FuzzSift: what is kept is harmless by itself.
func FuzzSift(f *testing.F) {
	for _, seed := range []string{
		"[paths]\na = b\n", "[ui]\nusername=x\r\n[hooks]\ny=z", "#\n;\n[", "[paths]\n\ta=b\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		allowed := strings.Fields(hgrc)
		why, rest := sift([]byte(text), allowed)
		if again, _ := sift(rest, allowed); again != "" || why == "" && rest != nil {
			t.Fatalf("%q: %q leaves %q", text, again, rest)
		}
	})
}
