package keys

import (
	"bytes"
	"testing"
)

func TestPart(t *testing.T) {
	for in, want := range map[string][2]string{
		"abc":                               {"", "abc"},
		"\x1b[?62;22c":                      {"\x1b[?62;22c", ""},
		"x\x1b[12;40Ry\x1b[A":               {"\x1b[12;40R", "xy\x1b[A"},
		"\x1b]11;rgb:0000/0000/0000\x1b\\":  {"\x1b]11;rgb:0000/0000/0000\x1b\\", ""},
		"\x1b]11;rgb:0/0/0\az":              {"\x1b]11;rgb:0/0/0\a", "z"},
		"\x1bP>|kitty(0.3)\x1b\\":           {"\x1bP>|kitty(0.3)\x1b\\", ""},
		"\x1b[?0u\x1b[99;5u":                {"\x1b[?0u", "\x03"},
		"\x1b":                              {"", "\x1b"},
		"\x1b\x1b[1;5C":                     {"", "\x1b\x1b[1;5C"},
		"\x1bOP\x1b[15~\x1b[200~c\x1b[201~": {"", "\x1bOP\x1b[15~\x1b[200~c\x1b[201~"},
	} {
		answers, keys := Part([]byte(in))
		if string(answers) != want[0] || string(keys) != want[1] {
			t.Errorf("%q: %q, %q", in, answers, keys)
		}
	}
}

// FuzzPart holds that nothing is lost and nothing is made up.
func FuzzPart(f *testing.F) {
	f.Add([]byte("a\x1b[?1;2cb\x1b]11;x\a"))
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("99;5u")) {
			return // Ctrl-C, which becomes one byte
		}
		answers, keys := Part(in)
		if len(answers)+len(keys) != len(in) {
			t.Fatalf("%q: %q, %q", in, answers, keys)
		}
		for _, c := range in {
			if bytes.Count(in, []byte{c}) != bytes.Count(answers, []byte{c})+bytes.Count(keys, []byte{c}) {
				t.Fatalf("%q: %q, %q", in, answers, keys)
			}
		}
	})
}
