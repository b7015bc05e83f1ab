package job

import (
	"io"
	"strings"
	"testing"
)

// FuzzRequest: what follows the line of a request is left to be read.
func FuzzRequest(f *testing.F) {
	f.Add(`{"do":"in","job":"a","eof":true,"grace_ms":1e9}` + "\n")
	f.Add("{\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, in, err := readRequest(strings.NewReader(text))
		if err != nil {
			return
		}
		rest, _ := io.ReadAll(in)
		if _, after, _ := strings.Cut(text, "\n"); string(rest) != after {
			t.Errorf("%q follows the request %q", rest, text)
		}
	})
}
