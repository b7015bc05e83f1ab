package guard

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"ua/cmd/ua-sandbox/internal/eventlog"
	"ua/internal/common/event"
)

// TestAccount tells of many files with names that a command chose, to nobody who reads:
// it comes back, and what is in the pipe are whole events.
func TestAccount(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	a := Account{Log: eventlog.New(w, false)}
	for n := range 1000 {
		name := "/" + strconv.Itoa(n) + strings.Repeat("\x1b\u202e", 2000)
		a.Add(Moved, name, "")
		a.Add(Moved, name, "")
		a.Add(restored, name, "")
		a.plant(name, strings.Repeat("x\n", 3000), n%2 == 0)
	}
	w.Close()
	count := 0
	for lines := event.NewReader(r); ; count++ {
		line, err := lines.Next()
		if err != nil {
			break
		}
		if event.Type(line) != "guarded" || len(line) >= 4096 {
			t.Fatalf("%d bytes: %.100s", len(line), line)
		}
	}
	if count < 10 || count > 4*toldMax || len(a.told[Moved]) != toldMax+1 ||
		!strings.HasSuffix(Shown(a.told[disarmed]), " and more") {
		t.Errorf("%d events, %d moved", count, len(a.told[Moved]))
	}
}
