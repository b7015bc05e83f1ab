package threads

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestTimers: a program gets the timers of the thread that starts it, and a slack that the
// user has chosen stays.
func TestTimers(t *testing.T) {
	const chosen = 70_000
	for name, c := range map[string]struct {
		user   int
		change []func() func()
		want   string
	}{
		"as they are":          {defaultSlack, nil, "50000"},
		"coarse":               {defaultSlack, []func() func(){CoarseTimers}, "1000000"},
		"taken back":           {defaultSlack, []func() func(){CoarseTimers, DefaultTimers}, "50000"},
		"of the user":          {chosen, []func() func(){CoarseTimers}, "70000"},
		"of the user, a stage": {chosen, []func() func(){CoarseTimers, DefaultTimers}, "70000"},
	} {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // which ends with this goroutine
			if err := set(c.user); err != nil {
				t.Fatal(err)
			}
			var undo []func()
			for _, change := range c.change {
				undo = append(undo, change())
			}
			if got := slackOfChild(t); got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
			for i := len(undo) - 1; i >= 0; i-- {
				undo[i]()
			}
			if got := slackOfChild(t); c.user == chosen && got != "70000" ||
				c.user == defaultSlack && got != "50000" {
				t.Errorf("%s in the end", got)
			}
		})
	}
}

// TestStart: a program of the user's has the default timers in a stage with coarse ones.
func TestStart(t *testing.T) {
	runtime.LockOSThread()
	if err := set(coarseSlack); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := exec.Command("cat", "/proc/self/timerslack_ns")
	cmd.Stdout = &out
	if err := Start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || out.String() != "50000\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if got := slackOfChild(t); got != "1000000" {
		t.Errorf("%s afterwards", got)
	}
}

func slackOfChild(t *testing.T) string {
	out, err := exec.Command("cat", "/proc/self/timerslack_ns").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
