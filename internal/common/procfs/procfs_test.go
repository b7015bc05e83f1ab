package procfs

import "testing"

func TestParse(t *testing.T) {
	const tail = " 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 4711 99 100\n"
	for text, want := range map[string]Stat{
		"7 (cat) S 1 7 6" + tail:            {"cat", 'S', 1, 7, 6, 9, 4711},
		"7 (a) Z 1 (b) T 3 4 5" + tail:      {"a) Z 1 (b", 'T', 3, 4, 5, 9, 4711},
		"7 (new\nline) Z 3 4 5" + tail:      {"new\nline", 'Z', 3, 4, 5, 9, 4711},
		"7 () R 3 4 5" + tail[:len(tail)-8]: {"", 'R', 3, 4, 5, 9, 4711},
		"7 (cut) Z 3 4 5 6 7 8 9 1 1":       {},
		"7 (x":                              {},
		"7 x) S 1 2 3":                      {},
		"":                                  {},
	} {
		if got, ok := parse([]byte(text)); got != want || ok != (want != Stat{}) {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("7 (a) S 1 2 3 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 12"))
	f.Add([]byte(") ("))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, ok := parse(text); !ok && s != (Stat{}) {
			t.Errorf("%q: %+v", text, s)
		}
	})
}
