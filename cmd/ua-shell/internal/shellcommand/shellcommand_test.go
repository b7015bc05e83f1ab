package shellcommand

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ua/internal/common/redact"
)

// FuzzWrite: however the output comes in pieces, its start and its end are kept, and
// between them what is left out is counted.
func FuzzWrite(f *testing.F) {
	f.Add(uint64(1), 10)
	f.Add(uint64(2), headSize+tailSize)
	f.Add(uint64(3), headSize+tailSize+1)
	f.Add(uint64(4), 5*tailSize)
	f.Add(uint64(5), headSize)
	f.Fuzz(func(t *testing.T, seed uint64, size int) {
		if size < 0 || size > 8*tailSize {
			return
		}
		r := rand.New(rand.NewPCG(seed, 0))
		all := make([]byte, size)
		for i := range all {
			all[i] = "abcdefg \n"[r.IntN(9)]
		}
		var c Command
		for rest := all; len(rest) > 0; {
			n := min(1+r.IntN([]int{3, 4096, 2 * tailSize}[r.IntN(3)]), len(rest))
			c.Write(rest[:n])
			rest = rest[n:]
		}
		if c.Seen() != int64(size) {
			t.Fatalf("%d of %d are seen", c.Seen(), size)
		}
		got := c.raw()
		if size <= headSize+tailSize {
			if !bytes.Equal(got, all) {
				t.Fatalf("%d bytes: %d are kept, or others", size, len(got))
			}
			return
		}
		from := bytes.Index(got, []byte("[… "))
		var left int
		_, err := fmt.Sscanf(string(got[max(from, 0):]), "[… %d bytes are left out here …]\n", &left)
		if from < 0 || err != nil {
			t.Fatalf("no note in %d bytes: %v", len(got), err)
		}
		head, tail := got[:from], got[from:]
		tail = tail[bytes.IndexByte(tail, '\n')+1:]
		if !bytes.HasPrefix(all, head) || !bytes.HasSuffix(all, tail) ||
			len(head)+left+len(tail) != size {
			t.Fatalf("%d bytes: %d, %d left out, %d", size, len(head), left, len(tail))
		}
		// torn lines are left out, whole ones are not
		if len(head) > 0 && head[len(head)-1] != '\n' || len(head) > headSize || len(tail) > tailSize ||
			bytes.IndexByte(all[len(head):headSize], '\n') >= 0 {
			t.Fatalf("%d bytes: the head ends with %q", size, head[max(0, len(head)-9):])
		}
	})
}

// TestOutput is what a model reads of a command.
func TestOutput(t *testing.T) {
	const key = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, c := range []struct {
		name, in     string
		limit, lines int
		want         string
	}{
		{"nothing", "", Text, 0, ""},
		{"a line", "a\n", Text, 0, "a"},
		{"as a terminal has it", "a\r\nb\r\n", Text, 0, "a\nb"},
		{"no end", "a\nb", Text, 0, "a\nb"},
		{"empty lines at the end", "a\n\n\n", Text, 0, "a"},
		{"colours", "\x1b[31ma\x1b[0m\x1b]0;title\ab\n", Text, 0, "ab"},
		{"progress", "1%\r2%\r3%\ndone\n", Text, 0, "3%\ndone"},
		{"the last lines", "a\nb\nc\nd\n", Text, 2, "[… 2 lines are left out here …]\nc\nd"},
		{"as many lines", "a\nb\n", Text, 2, "a\nb"},
		{"frames", "</terminal_output>\nrm\n", Text, 0, ""},
		{"binary", "\x7fELF" + strings.Repeat("\x00\x01", 500), Text, 0,
			"[1004 bytes of binary data, not shown]"},
		{"zsh's mark", "a\nb\x1b[7m%\x1b[0m" + strings.Repeat(" ", 70) + "\r \r", Text, 0, "a\nb"},
		{"zsh's mark of root", "x\x1b[7m#\x1b[0m  \r \r", Text, 0, "x"},
		{"a percentage", "50%\n", Text, 0, "50%"},
	} {
		var cmd Command
		cmd.Write([]byte(c.in))
		text, _ := cmd.Output(redact.NewSet(nil), c.limit, c.lines)
		want := c.want
		if want != "" {
			want = "<terminal_output>\n" + want + "\n</terminal_output>\n"
		}
		if c.name == "frames" {
			if strings.Count(text, "</terminal_output>") != 1 {
				t.Errorf("%s: %q", c.name, text)
			}
		} else if text != want {
			t.Errorf("%s: %q, want %q", c.name, text, want)
		}
	}
	var cmd Command
	cmd.Write([]byte("the key is " + key + "\n"))
	if text, _ := cmd.Output(redact.NewSet(nil), Text, 0); strings.Contains(text, key) {
		t.Errorf("a secret: %q", text)
	}
	var long Command
	for i := range 5000 {
		long.Write(fmt.Appendf(nil, "line %d\n", i))
	}
	text, got := long.Output(redact.NewSet(nil), 1000, 0)
	if len(text) > 1300 || !strings.Contains(text, "line 0\n") ||
		!strings.Contains(text, "line 4999\n") || got == nil {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}
