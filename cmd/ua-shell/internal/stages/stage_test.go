package stages

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ua/internal/common/stage"
)

// ran starts a line of sh as a stage, gives it text, and returns what it printed, said and
// how it ended.
func ran(t *testing.T, script, text string, files ...*os.File) (lines, said []string, how string) {
	t.Helper()
	var mu sync.Mutex
	ended := make(chan string, 1)
	post := func(f func()) { mu.Lock(); f(); mu.Unlock() }
	mu.Lock() // so that no end is told before the look
	c := stage.Command{Name: "ua-x", Argv: []string{"/bin/sh", "-c", script}, Line: true,
		Env: []string{"A=1"}, Extra: files}
	s, err := start(c, post,
		func(line []byte) { lines = append(lines, string(line)) },
		func(text string) { said = append(said, text) },
		func(s *member) { ended <- s.failure() })
	if err != nil {
		t.Fatal(err)
	}
	if !s.alive() {
		t.Error("not alive")
	}
	mu.Unlock()
	for line := range strings.Lines(text) {
		s.in.Put([]byte(line))
	}
	s.in.End()
	select {
	case how = <-ended:
	case <-time.After(time.Minute):
		s.signal(9)
		t.Fatalf("%s: runs on", script)
	}
	if s.alive() {
		t.Error("alive after its end")
	}
	s.signal(9) // hits nobody
	return lines, said, how
}

// TestStage: lines in, lines out, words for people apart, and the end with its cause, when
// all of that has come.
func TestStage(t *testing.T) {
	long := strings.Repeat("x", 10<<10)
	for _, c := range []struct{ script, in, lines, said, how string }{
		{"cat", "{}\n{\"a\":1}\n", `{}|{"a":1}`, "", ""},
		{"cat; echo two", "", "two", "", ""},
		{"printf 'no end'", "", "no end", "", ""},
		{"echo; echo; echo a", "", "a", "", ""},
		{"echo b >&2; echo a; echo c >&2", "", "a", "b|c", ""},
		{"echo $A$HOME$PATH", "", "1*", "", ""},
		{"exit 3", "", "", "", "ua-x ended with status 3"},
		{"echo a; kill -9 $$", "", "a", "", "ua-x was killed by signal 9 (killed)"},
		{"kill -0 -$$ && echo leader", "", "leader", "", ""}, // of its group, which no key signals
		{"echo " + long, "", long, "", ""},
		{"echo " + long + " >&2", "", "", long[:4096] + "|" + long[4096:8192] + "|" + long[8192:], ""},
	} {
		lines, said, how := ran(t, c.script, c.in)
		got := strings.Join(lines, "|")
		if prefix, ok := strings.CutSuffix(c.lines, "*"); ok && strings.HasPrefix(got, prefix) {
			got = c.lines
		}
		if got != c.lines || strings.Join(said, "|") != c.said || how != c.how {
			t.Errorf("%.60s: %.200q, %.200q, %q", c.script, lines, said, how)
		}
	}
}

// TestStageFiles: the files come as descriptors from 3 on, and nothing of ours stays open.
func TestStageFiles(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("key\n")
	w.Close()
	if lines, _, how := ran(t, "cat <&3; ls /proc/$$/fd | wc "+
		"-w", "", r); len(lines) != 2 || lines[0] != "key" || how != "" {
		t.Errorf("%q %s", lines, how)
	}
	if _, err := r.Stat(); err == nil {
		t.Error("a file is open here still")
	}
}

func TestNoStage(t *testing.T) {
	_, err := start(stage.Command{Name: "ua-x", Argv: []string{t.TempDir() + "/none"}}, nil, nil,
		nil, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "ua-x: ") {
		t.Error(err)
	}
	if (*member)(nil).alive() {
		t.Error("one that was never started is alive")
	}
	(*member)(nil).signal(9)
}
