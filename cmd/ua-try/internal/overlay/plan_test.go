//go:build linux

package overlay

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestPlan: each folder once, outer ones first, with the mounts below them; the kernel's file
// systems stay as they are, which the manual says of /proc.
func TestPlan(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/b", "ab", "b"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dirs, want string }{
		{"a", "a"}, {"a a", "a"}, {"a/b a", "a"}, {"a a/b", "a"}, {"b a", "a b"}, {"ab a", "a ab"},
		{"ab a a/b b", "a ab b"}, {". a b", "."},
	} {
		var dirs, want []string
		for _, d := range strings.Fields(c.dirs) {
			dirs = append(dirs, filepath.Join(dir, d))
		}
		for _, d := range strings.Fields(c.want) {
			want = append(want, filepath.Join(dir, d))
		}
		covers, asis, err := Plan(dirs)
		if err != nil || !slices.Equal(covers, want) || len(asis) > 0 {
			t.Errorf("%s: %q %q %v, want %s", c.dirs, covers, asis, err, c.want)
		}
	}
	for _, m := range kernel {
		if !(Mount{Kind: m}).OfKernel() {
			t.Errorf("%s holds files", m)
		}
	}
	for _, m := range []string{"ext4", "tmpfs", "overlay", "nfs", "fuse.sshfs", "9p", ""} {
		if (Mount{Kind: m}).OfKernel() {
			t.Errorf("%s is left as it is", m)
		}
	}
	mounts, err := Below("/")
	if err != nil || !slices.ContainsFunc(mounts, func(m Mount) bool { return m.Path == "/proc" }) {
		t.Errorf("no /proc below /: %v %v", mounts, err)
	}
	if inside, err := Below("/proc/self/"); err != nil || len(inside) > 0 {
		t.Errorf("below a folder without mounts: %v %v", inside, err)
	}
}

// TestMountsOfKernel: the kernel's own text for mount points of any bytes is read as they are,
// and of two mounts at one place the later one.
func TestMountsOfKernel(t *testing.T) {
	scripttest.Need(t, "unshare", "mount")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"plain", "a space", "tab\there", "new\nline", `back\slash`, `\040`, "\xff\xfe",
		"ü", "a#b", "- type", strings.Repeat("n", 255)}
	script := "set -e\n"
	var want []string
	for i, name := range names {
		at := filepath.Join(dir, name)
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
		want = append(want, at)
		script += fmt.Sprintf("mount -t tmpfs none \"$%d\"\n", i+1)
	}
	script = strings.ReplaceAll(script, "$10", "${10}")
	script = strings.ReplaceAll(script, "$11", "${11}")
	script += "mount -t ramfs none \"$1\"\ncat /proc/self/mountinfo\n"
	cmd := exec.Command("unshare", append([]string{"--user", "--map-root-user", "--mount", "sh", "-c",
		script, "sh"}, want...)...)
	text, err := cmd.Output()
	if err != nil {
		var stderr []byte
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = exit.Stderr
		}
		scripttest.Skip(t, scripttest.Refused, "mounts in a namespace: %v: %s", err, stderr)
	}
	got := below(string(text), dir)
	var paths []string
	for _, m := range got {
		paths = append(paths, m.Path)
		if kind := map[bool]string{true: "ramfs", false: "tmpfs"}[m.Path == want[0]]; m.Kind != kind {
			t.Errorf("%q: %s", m.Path, m.Kind)
		}
	}
	slices.Sort(want)
	if !slices.Equal(paths, want) {
		t.Errorf("%q\nwant\n%q\nin\n%s", paths, want, text)
	}
	for _, at := range want { // a folder whose own name needs an escape
		if inner := below(string(text), at); len(inner) > 0 {
			t.Errorf("below %q: %q", at, inner)
		}
	}
}

// TestBrokenLines: what is no line of mountinfo is passed over.
func TestBrokenLines(t *testing.T) {
	for _, line := range []string{
		"", "\n", " - ", "1 2 3 4 /w/x - ", "1 2 3 4 /w/x", "1 2 3 /w/x - tmpfs",
		"1 2 3 4 /w/x rw -tmpfs none", "\x00", strings.Repeat("x ", 1<<16),
	} {
		if got := below(line, "/w"); len(got) > 0 {
			t.Errorf("%.40q: %v", line, got)
		}
	}
	for text, want := range map[string]string{
		`a\040b`: "a b", `\134040`: `\040`, `\`: `\`, `\04`: `\04`, `\999`: `\999`,
		`\400`: `\400`, `\011\012`: "\t\n", `x\0`: `x\0`, `\+12`: `\+12`, `\ 12`: `\ 12`,
	} {
		if got := escapes.Replace(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
