package integration

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestWaits: the shell waits while it reads our FIFO, and not while it reads what a command has
// put in its place, or has it open only.
func TestWaits(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	in, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if !in.Waits() {
		t.Error("a shell that is not known does not wait")
	}
	other, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	fifo := in.path("go.moved")
	if err := os.Rename(in.path("go"), fifo); err != nil {
		t.Fatal(err)
	}
	os.Symlink(other.path("go"), in.path("go"))
	for _, c := range []struct {
		name, script string
		want         bool
	}{
		{"reads it", "read -r x <" + fifo, true},
		{"reads another one in its place", "read -r x <" + in.path("go"), false},
		{"has it open", "exec 7<" + fifo + "; read -r x <" + other.path("go"), false},
	} {
		cmd := exec.Command("sh", "-c", c.script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.PID = cmd.Process.Pid
		got := in.Waits()
		for begin := time.Now(); got != c.want && time.Since(begin) < 5*time.Second ||
			time.Since(begin) < 100*time.Millisecond; {
			time.Sleep(5 * time.Millisecond)
			got = in.Waits()
		}
		if got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
}
