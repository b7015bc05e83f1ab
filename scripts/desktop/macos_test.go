package desktop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMacOS runs the scripts for a Mac's screen with stand-ins for macOS's programs: each
// permission that is missing is named with the place to allow it, and nothing is asked of
// ua before. On a real Mac it shows nothing about macOS.
func TestMacOS(t *testing.T) {
	for _, c := range []struct {
		name                    string
		screen, clicks, windows string // what the checks answer; windows: a status
		status                  int
		said                    string
	}{
		{"all is allowed", "true", "true", "0", 0, "ran: --agent desktop --ask a task"},
		{"no screen", "false", "true", "0", 2, "Screen & System Audio Recording"},
		{"no clicks", "1", "0", "0", 2, "Privacy & Security, Accessibility"},
		{"no windows", "1", "1", "1", 2, "Privacy & Security, Automation"},
		{"not known", "", "", "0", 0, "could not be found out"},
	} {
		out, status := onMac(t, "../desktop-macos", []string{"a task"}, "SCREEN="+c.screen,
			"CLICKS="+c.clicks, "WINDOWS="+c.windows)
		if status != c.status || !strings.Contains(out, c.said) ||
			(status == 0) != strings.Contains(out, "ran: ") {
			t.Errorf("%s: status %d, want %d and %q: %s", c.name, status, c.status, c.said, out)
		}
	}
	out, status := onMac(t, "../desktop-macos-clean", []string{"com.example.term"})
	if status != 0 || strings.Count(out, "taken back from com.example.term") != 3 {
		t.Errorf("clean: status %d: %s", status, out)
	}
	for arg, want := range map[string]int{"x;y": 2, "refused": 1} {
		if out, status := onMac(t, "../desktop-macos-clean", []string{arg}); status != want {
			t.Errorf("clean %q: status %d: %s", arg, status, out)
		}
	}
}

// onMac runs a script with stand-ins on PATH, and has its folder for temporary files empty
// afterwards.
func onMac(t *testing.T, script string, args []string, env ...string) (string, int) {
	t.Helper()
	bin, tmp := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"uname":         "echo Darwin",
		"ua":            `echo "ran: $*"`,
		"cliclick":      "exit 1",
		"tccutil":       `[ "$3" != refused ]`,
		"screencapture": `[ "$1" = -x ] && echo picture >"$2"`,
		"osascript": `case "$*" in
*ScreenCapture*) echo "$SCREEN" ;;
*AXIs*) echo "$CLICKS" ;;
*) exit "$WINDOWS" ;;
esac`,
	} {
		text = "#!/bin/sh\n" + text + "\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(tmp, "ua-desktop.abcdef"), 0o700) // a killed run's
	if !strings.HasSuffix(script, "-clean") {
		os.Remove(filepath.Join(tmp, "ua-desktop.abcdef"))
	}
	cmd := exec.Command(script, args...)
	cmd.Env = append([]string{
		"PATH=" + bin + ":/usr/bin:/bin", "TMPDIR=" + tmp, "HOME=" + tmp,
	}, env...)
	out, _ := cmd.CombinedOutput()
	if left, _ := os.ReadDir(tmp); len(left) > 0 && cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("%s %q leaves %v", script, args, left)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
