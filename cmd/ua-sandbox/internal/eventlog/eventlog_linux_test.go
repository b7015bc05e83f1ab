package eventlog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/prog"
)

// TestLostEvents: an event that the disk did not take is told of, and it counts as a failure
// where the person has asked for a file of them.
func TestLostEvents(t *testing.T) {
	for _, c := range []struct {
		path         string
		live, failed bool
		said         string
	}{
		{"/dev/full", false, true, "2 events of requests or protected files were lost: write /dev/full"},
		{"/dev/full", true, false, "2 events of requests or protected files were lost: write /dev/full"},
		{"/dev/null", false, false, ""},
	} {
		f, err := os.OpenFile(c.path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		l := New(f, c.live)
		l.Write([]byte("{}"))
		l.Write([]byte("{}"))
		stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
		failed := l.TellLost(&prog.Env{Name: "ua-sandbox", Stderr: stderr})
		said, _ := os.ReadFile(stderr.Name())
		if failed != c.failed || !strings.Contains(string(said), c.said) ||
			c.said == "" && len(said) > 0 {
			t.Errorf("%s, live %v: %v, %q", c.path, c.live, failed, said)
		}
	}
}
