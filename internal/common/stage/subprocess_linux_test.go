package stage

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestWaiting: our own programs get ends of pipes that do not block, a program of
// the user's gets what every shell gives it.
func TestWaiting(t *testing.T) {
	const line = `awk '$1 == "flags:" { print $2 ~ /[4-7][0-7][0-7][0-7]$/ ? "poll" : "block" }' ` +
		`/proc/self/fdinfo/0 /proc/self/fdinfo/1`
	for _, c := range []struct {
		own  bool
		want string
	}{{true, "poll poll"}, {false, "block block"}} {
		command := Custom("sh", line)
		command.Line = !c.own
		in, out, err := Pipes()
		if err != nil {
			t.Fatal(err)
		}
		s, err := command.Start(in.R, out.W, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(out.R)
		if got := strings.Join(strings.Fields(string(text)), " "); got != c.want || err != nil {
			t.Errorf("own %v: %q, %v", c.own, text, err)
		}
		if !s.Wait(time.Minute) {
			t.Errorf("own %v: it has not ended", c.own)
		}
		in.W.Close()
		out.R.Close()
	}
}
