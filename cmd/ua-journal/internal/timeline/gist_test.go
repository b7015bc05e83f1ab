package timeline

import (
	"strings"
	"testing"
)

// A verdict's line names the part that decided it, as the screen does.
func TestGistOfVerdict(t *testing.T) {
	line := `{"type":"verdict","risk":"destructive","decision":"allow",` +
		`"reason":"rm deletes build","simple":[` +
		`{"text":"cat >f","level":"write"},{"text":"rm -rf build","level":"destructive"}]}`
	const want = "destructive allow: rm -rf build: rm deletes build"
	if got := gist(Event{Type: "verdict", Line: []byte(line)}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	one := strings.Replace(line, `{"text":"cat >f","level":"write"},`, "", 1)
	got := gist(Event{Type: "verdict", Line: []byte(one)})
	if got != "destructive allow: rm deletes build" {
		t.Errorf("%q", got)
	}
}
