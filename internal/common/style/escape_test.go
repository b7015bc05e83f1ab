package style

import (
	"strings"
	"testing"
)

func TestEscaper(t *testing.T) {
	const in = "a\x1b]52;c;eA==\x07 grün\r\n1%\r2%\n\u202e\x9b31m \xc3"
	const want = `a^[]52;c;eA==^G grün` + "\n1%^M2%\n" + `<U+202E>\x9b31m \xc3`
	for size := 1; size <= len(in); size++ {
		var out strings.Builder
		e := NewEscaper(&out)
		for at := 0; at < len(in); at += size {
			part := []byte(in[at:min(at+size, len(in))])
			if n, err := e.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := e.Flush(); err != nil || out.String() != want {
			t.Errorf("in pieces of %d: %q, want %q (%v)", size, out.String(), want, err)
		}
	}
}
