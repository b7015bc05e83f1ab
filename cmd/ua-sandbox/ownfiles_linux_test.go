package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Wherever the environment and the settings put ua's files, they are secret, and
// what a later run starts can't be written.
func TestNamedSettings(t *testing.T) {
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		t.Setenv("HOME", t.TempDir())
		for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
			t.Setenv(name, "")
		}
		shell(t, dir, `echo MARKER >key; echo MARKER >key2; echo 'echo MARKER' >getkey
echo x >think.sh; mkdir s; echo x >s/hook
cat >ua.toml <<'X'
[ua]
think = "./think.sh --fast"
[provider.a]
api_key = "MARKER"
api_key_file = "key"
[provider.b]
api_key_cmd = "sh ./getkey | cat $PWD/key2"
X`)
		t.Setenv("PWD", dir)
		t.Setenv("UA_CONFIG", filepath.Join(dir, "ua.toml"))
		script := `exec 2>/dev/null; grep -r MARKER .; mv ua.toml u2; cat u2; echo x >ua.toml
{ echo evil >think.sh; mv think.sh t2; echo evil >think.sh
	[ $UA_SANDBOX = 2 ] || grep evil think.sh; }; echo done`
		cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c", script)
		cmd.Dir = dir
		out, err := cmd.Output()
		if string(out) != "done\n" {
			t.Errorf("tier %s: %s %v", tier, out, err)
		}
		if left := shell(t, dir, "cat think.sh; grep -c MARKER ua.toml"); left != "x\n1\n" {
			t.Errorf("tier %s: left %s", tier, left)
		}
	}
}

// Who keeps nothing, and says so by /dev/null, has no secret there: commands get the
// device as ever.
func TestNullDevice(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	check := func(t *testing.T) {
		for _, tier := range tiers(t) {
			cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c",
				"echo x >/dev/null && cat /dev/null && echo fine")
			cmd.Dir = t.TempDir()
			if out, err := cmd.CombinedOutput(); string(out) != "fine\n" {
				t.Errorf("tier %s: %s %v", tier, out, err)
			}
		}
	}
	for _, name := range []string{"HISTFILE", "KUBECONFIG", "UA_CONFIG"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, os.DevNull)
			check(t)
		})
	}
	for _, name := range []string{".bash_history", ".netrc", ".config/systemd/user/a.service"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(home, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(os.DevNull, path); err != nil {
				t.Fatal(err)
			}
			check(t)
		})
	}
}

// What a command has left in the place of a file that this side reads neither
// holds the next run up nor fills memory.
func TestLeftBehind(t *testing.T) {
	names := []string{"work/.git/config", "work/.git/commondir", "work/.git", "work/sub/.git",
		"home/.npmrc", "home/.curlrc", "home/.config/pip/pip.conf", "home/.gitconfig",
		"home/.config/git/config", "home/.cargo/config.toml", "home/.config/go/env",
		"home/.config/ua/config.toml", "home/.config/ua/policy.toml"}
	for _, name := range names {
		for _, kind := range []string{"fifo", "zero", "loop", "folder"} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			_ = os.MkdirAll(filepath.Join(dir, "work"), 0o755)
			var err error
			switch kind {
			case "fifo":
				err = syscall.Mkfifo(path, 0o644)
			case "zero":
				err = os.Symlink("/dev/zero", path)
			case "loop":
				err = os.Symlink(filepath.Base(path), path)
			case "folder":
				err = os.Mkdir(path, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
			cmd := sandbox(t, "--quiet", "--profile", "network", "--net-allow", "packages", "--net-allow",
				"git", "--mem", "1G", "--", "echo", "ran")
			cmd.Dir, cmd.Env = filepath.Join(dir, "work"),
				[]string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
			ended := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
			out, err := cmd.CombinedOutput()
			ended.Stop()
			if string(out) != "ran\n" {
				t.Errorf("%s as %s: %s %v", name, kind, out, err)
			}
		}
	}
}

// A link that leads in a circle stays one: a file in its place would be obeyed. Where no
// mount keeps it, its folder can be moved away, which is told.
func TestCircleStays(t *testing.T) {
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "work/.git"), 0o755); err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "work/.git/config")
		if err := os.Symlink("config", config); err != nil {
			t.Fatal(err)
		}
		cmd := sandbox(t, "--quiet", "--tier", tier, "--", "sh", "-c",
			"exec 2>/dev/null; rm -f .git/config; mv .git/config x; mv .git g; echo evil >.git/config; "+
				"echo ran")
		cmd.Dir, cmd.Env = filepath.Join(dir, "work"),
			[]string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		to, gone := os.Readlink(config)
		if tier == "2" && strings.Contains(string(out), "could not be put back") &&
			errors.Is(gone, os.ErrNotExist) {
			continue
		}
		if string(out) != "ran\n" || to != "config" {
			t.Errorf("tier %s: leads to %q: %s %v", tier, to, out, err)
		}
	}
}

// A signal ends the preparation as it ends the command, and so does the end of
// the caller.
func TestSignalInPreparation(t *testing.T) {
	for _, what := range []string{"signal", "caller"} {
		// A log that nobody takes holds up the refusal, and so the preparation.
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		size, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4096)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c",
			`"$0" --quiet --status-fd 3 --write /no/such -- true & echo $!; wait`, sandbox(t).Path)
		cmd.ExtraFiles = []*os.File{w}
		stdout, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var line [32]byte
		n, _ := stdout.Read(line[:])
		pid := strings.TrimSpace(string(line[:n]))
		for range 2000 { // until it hangs
			if text, _ := exec.Command("sh", "-c",
				"cat /proc/"+pid+"/task/*/stack").Output(); strings.Contains(string(text), "pipe_write") {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if what == "signal" {
			_ = exec.Command("kill", "-TERM", pid).Run()
		} else {
			_ = cmd.Process.Kill()
		}
		_ = cmd.Wait()
		for i := 0; read("/proc/"+pid+"/comm") != "" &&
			!strings.Contains(read("/proc/"+pid+"/stat"), ") Z"); i++ {
			if i > 4000 {
				t.Fatalf("%s: it still runs", what)
			}
			time.Sleep(5 * time.Millisecond)
		}
		r.Close()
		w.Close()
	}
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// A home that is not there, or has no name, is no reason not to run.
func TestNoHome(t *testing.T) {
	for _, tier := range tiers(t) {
		dir := t.TempDir()
		for _, home := range []string{"HOME=" + dir + "/none", "HOME=/no/such/home", "HOME=relative",
			"HOME=", "A=1"} {
			for _, profile := range []string{"read-only", "workspace", "network", "none"} {
				if profile == "none" && tier == "4" {
					continue
				}
				cmd := sandbox(t, "--quiet", "--tier", tier, "--profile", profile, "--", "echo", "ran")
				cmd.Dir, cmd.Env = dir, []string{home, "PATH=" + os.Getenv("PATH")}
				if out, err := cmd.CombinedOutput(); string(out) != "ran\n" {
					t.Errorf("tier %s %s %s: %s %v", tier, profile, home, out, err)
				}
			}
		}
	}
}
