package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// rss is the resident memory of a process in KiB.
func rss(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, _ := strconv.Atoi(strings.Fields(rest)[0])
	return n
}

// stalled is a console that has stopped to take what its shell prints without end,
// numbered lines, the file that Ctrl-C makes there, and what has it take output again.
func stalled(t *testing.T) (c *console, file string, resume func()) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "interrupted")
	c = open(t, nil, "--shell", "/bin/sh", "--", "-c",
		"trap 'touch "+file+"; stty -opost; printf END; exit 3' INT; seq 1 100000000")
	c.expect("1000\r\n")
	c.pause.Lock()
	resume = sync.OnceFunc(c.pause.Unlock)
	t.Cleanup(resume)
	// The last bytes that it takes are on their way until the shell is asleep.
	c.quiet()
	return c, file, resume
}

// A terminal that takes no output keeps nobody from Ctrl-C, costs no memory, and gets
// every byte when it goes on.
func TestStalledTerminal(t *testing.T) {
	c, file, resume := stalled(t)
	if kb := rss(t, c.cmd.Process.Pid); kb > 20<<10 {
		t.Errorf("%d KiB", kb)
	}
	c.send("\x03")
	c.until("the interrupt", func() bool { _, err := os.Stat(file); return err == nil })
	resume()
	if got := c.status(); got != 3 {
		t.Errorf("status %d", got)
	}
	lines := strings.Split(c.text(), "\r\n")
	for i, line := range lines[:len(lines)-1] {
		if line != strconv.Itoa(i+1) {
			t.Fatalf("line %d is %q", i+1, line)
		}
	}
	if !strings.HasSuffix(c.text(), "END") {
		t.Errorf("the end is %q", lines[len(lines)-1])
	}
}

// Nor from a signal that ends us.
func TestStalledTerminalEnds(t *testing.T) {
	c, _, _ := stalled(t)
	before := time.Now()
	c.cmd.Process.Signal(syscall.SIGTERM)
	ended := make(chan error)
	go func() { ended <- c.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatalf("it did not end after %v", time.Since(before))
	}
}
