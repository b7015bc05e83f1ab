//go:build linux

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// told runs the command with a pipe as its descriptor 3, and returns what came
// out of that.
func told(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	return toldBy(t, cmd, (*exec.Cmd).Run)
}

// toldBy is told with another way to run the command.
func toldBy(t *testing.T, cmd *exec.Cmd, run func(*exec.Cmd) error) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{w}
	_ = run(cmd)
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A command that was not run is told by the descriptor, and nothing that a command
// prints, or how it ends, looks like it.
func TestStatusFD(t *testing.T) {
	for _, tier := range append(tiers(t), "nested") {
		tier := []string{"--tier", tier}
		if tier[1] == "nested" {
			tier = []string{"--nested"}
		}
		for _, c := range []struct {
			args   string
			status int // 0 when the command was run
		}{
			{"-- true", 0},
			{"-- ua-no-such-program", 127},
			{"-- ./ua-no-such-program", 127},
			{"-- /etc/passwd", 126},
			{"--pids 4000 -- /etc/passwd", 126},
			{"--pids 4000 -- ./ua-no-such-program", 127},
			{"--write /no/such/place -- true", 125},
			{"--no-such-option -- true", 125},
			{"", 125},
		} {
			args := append(append([]string{"--status-fd", "3", "--quiet"}, tier...),
				strings.Fields(c.args)...)
			cmd := sandbox(t, args...)
			got := told(t, cmd)
			var line refusalLine
			if c.status == 0 {
				if got != "" {
					t.Errorf("%q: %q", args, got)
				}
				continue
			}
			err := json.Unmarshal([]byte(got), &line)
			if err != nil || line.Type != "refused" || line.Status != c.status || line.Message == "" ||
				strings.Count(got, "\n") != 1 {
				t.Errorf("%q: %q %v", args, got, err)
			}
			if code := cmd.ProcessState.ExitCode(); code != c.status {
				t.Errorf("%q: status %d, want %d", args, code, c.status)
			}
		}
		for _, script := range []string{"echo ua-sandbox: x >&2; exit 126", "echo x >&3 2>/dev/null",
			"for f in /proc/*/fd/3; do echo forged >$f; done 2>/dev/null"} {
			args := append(append([]string{"--status-fd", "3", "--quiet"}, tier...), "--", "sh", "-c",
				script)
			if got := told(t, sandbox(t, args...)); got != "" {
				t.Errorf("%q: %q", args, got)
			}
		}
	}
}

func TestBadDescriptors(t *testing.T) {
	for _, options := range []string{"--status-fd 77", "--status-fd 2", "--status-fd x",
		"--net-log-fd 0", "--profile network --net-log-fd 77",
		"--status-fd 3 --fd 3", "--profile network --net-log-fd 2 --net-log f",
		"--profile network --net-log /dev/tty", "--profile network --net-log ."} {
		cmd := sandbox(t, append(strings.Fields(options), "--", "true")...)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 125 || len(out) == 0 {
			t.Errorf("%s: %v: %s", options, cmd.ProcessState, out)
		}
	}
}

// The tier and the proxy's events go to the descriptor, whole, and no other file gets them.
func TestNetLogFD(t *testing.T) {
	scripttest.Need(t, "curl")
	scripttest.NeedTier(t, "3")
	dir := t.TempDir()
	t.Setenv("UA_RUN_DIR", dir)
	cmd := sandbox(t, "--profile", "network", "--net-log-fd", "3", "--", "sh", "-c",
		"curl -sS https://evil.test/ 2>/dev/null; curl -sS https://worse.test/ 2>/dev/null; echo junk "+
			">&3 2>/dev/null; true")
	lines := strings.Split(strings.TrimSuffix(told(t, cmd), "\n"), "\n")
	for i, word := range []string{`"sandbox","tier":`, `"evil.test"`, `"worse.test"`} {
		if len(lines) != 3 || !json.Valid([]byte(lines[i])) || !strings.Contains(lines[i], word) {
			t.Errorf("%q", lines)
			break
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

// The tier is told before the mounts. Where a system refuses these, the lower one is told before
// the command runs, and with --strict it does not run at all; a namespace without a mount counts
// as refused.
func TestNetLogFDLowerTier(t *testing.T) {
	scripttest.NeedTier(t, "4")
	for _, c := range []struct {
		call    uint32
		options string
		want    string
	}{
		{unix.SYS_OPEN_TREE, "", "4 2 it ran at 2"},
		{unix.SYS_OPEN_TREE, "--strict --root-ok", "4"},
		{unix.SYS_MOUNT, "", "2 it ran at 2"},
		{unix.SYS_MOUNT, "--strict --root-ok", ""},
	} {
		cmd := sandbox(t, append(strings.Fields("--quiet --net-log-fd 3 "+c.options), "--", "sh", "-c",
			"echo it ran at $UA_SANDBOX >out")...)
		cmd.Dir = t.TempDir()
		events := toldBy(t, cmd, func(cmd *exec.Cmd) error { return scripttest.RunWithout(cmd, c.call) })
		var got []string
		for line := range strings.Lines(events) {
			got = append(got, gjson.Get(line, "tier").String())
		}
		out, _ := os.ReadFile(filepath.Join(cmd.Dir, "out"))
		if got := strings.Join(append(got, strings.Fields(string(out))...), " "); got != c.want {
			t.Errorf("%+v: %q, %q", c, got, events)
		}
	}
}
