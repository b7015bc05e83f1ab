package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// TestMain makes the test binary the program that tries things inside.
func TestMain(m *testing.M) {
	if os.Getenv("UA_PROBE_OUT") == "" {
		os.Exit(m.Run())
	}
	for _, p := range blocked() {
		fmt.Println(reportLine("blocked", p.name, p.try()))
	}
	for _, p := range allowed() {
		fmt.Println(reportLine("allowed", p.name, p.try()))
	}
}

func reportLine(kind, name string, err error) string {
	return fmt.Sprintf("%s %s %v", kind, name, err)
}

// A fixture is the outside of a sandbox: secrets, files, processes, sockets.
type fixture struct {
	dir, bin string
	uid      int
	env      []string
}

// newFixture makes a fixture for a user.
func newFixture(t *testing.T, uid int) *fixture {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ua-probe") // which the sandbox hides
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	f := &fixture{dir: dir, uid: uid}
	for _, name := range []string{".ssh/id", ".aws/credentials", ".gnupg/key", ".netrc",
		".config/gh/hosts.yml", ".docker/config.json", ".kube/config",
		".git-credentials", ".bash_history", ".config/ua/config.toml", ".pypirc", ".mozilla/cookies"} {
		f.file(t, "home/"+name, "MARKER\n")
	}
	f.file(t, "home/.npmrc", "//registry/:_authToken=MARKER\n")
	f.file(t, "home/.profile", "# plain\n")
	f.file(t, "home/.gitconfig", "[user]\nname=p\nemail=p@example.com\n")
	f.file(t, "elsewhere/azure/token", "MARKER\n")
	for _, name := range []string{"out/file", "out/victim", "out/dir/x", "work/file", "host"} {
		f.file(t, name, "MARKER\n")
	}
	os.Remove(dir + "/out/dir/x")
	if err := os.Symlink("../elsewhere/azure", dir+"/home/.azure"); err != nil {
		t.Fatal(err)
	}
	f.git(t)
	f.program(t)
	f.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "LANG=C.UTF-8",
		"UA_PROBE_OUT=" + dir + "/out",
		"API_KEY=MARKER", "INNOCENT=https://ci:MARKER@registry/", "UA_PROBE_LARGE=" +
			strings.Repeat("x", 100000), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOPROXY=off"}
	for _, name := range []string{"GOROOT", "GOPATH"} {
		if v := os.Getenv(name); v != "" {
			f.env = append(f.env, name+"="+v)
		}
	}
	f.own(t)
	f.neighbours(t)
	return f
}

func (f *fixture) file(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// git makes a repository in the workspace, and a worktree of one outside.
func (f *fixture) git(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		return
	}
	for _, line := range []string{"init -q work/repo", "init -q main",
		"-C main commit -qm x --allow-empty"} {
		cmd := exec.Command("git", append([]string{
			"-c", "user.name=p", "-c", "user.email=p@example.com"}, strings.Fields(line)...)...)
		cmd.Dir = f.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %s", line, out)
		}
	}
}

// program puts a copy of this test, and of ua-sandbox, where every user can run it.
func (f *fixture) program(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f.bin = filepath.Join(f.dir, "bin")
	if err := os.Mkdir(f.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{self: "probe",
		filepath.Join(scripttest.Bin(t), "ua-sandbox"): "ua-sandbox"} {
		scripttest.CopyProgram(t, from, filepath.Join(f.bin, to))
	}
}

// own gives the fixture to its user.
func (f *fixture) own(t *testing.T) {
	if os.Getuid() != 0 {
		return
	}
	err := filepath.WalkDir(f.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, f.uid, f.uid)
	})
	if err == nil {
		err = os.Chmod(f.dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// neighbours are processes and sockets of the same user outside.
func (f *fixture) neighbours(t *testing.T) {
	sleeper := exec.Command("sleep", "600")
	sleeper.Env = []string{"API_KEY=MARKER"}
	sleeper.SysProcAttr = f.asUser()
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	abstract := fmt.Sprintf("ua-probe-%d-%d", os.Getpid(), f.uid)
	closers := []io.Closer{tcp, udp}
	for _, name := range []string{"@" + abstract, f.dir + "/out/sock", f.dir + "/home/sock",
		f.dir + "/work/sock"} {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		if name[0] == '/' {
			_ = os.Chmod(name, 0o777)
		}
		closers = append(closers, l)
	}
	shm := fmt.Sprintf("ua-probe-%d-%d", os.Getpid(), f.uid)
	if err := os.WriteFile("/dev/shm/"+shm, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_ = os.Chmod("/dev/shm/"+shm, 0o666)
	id, err := unix.SysvShmGet(0x7561, 4096, unix.IPC_CREAT|0o666)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = sleeper.Process.Kill()
		_ = sleeper.Wait()
		for _, c := range closers {
			c.Close()
		}
		os.Remove("/dev/shm/" + shm)
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	})
	f.env = append(f.env, fmt.Sprint("UA_PROBE_PID=", sleeper.Process.Pid),
		fmt.Sprint("UA_PROBE_PARENT=", sleeper.Process.Pid),
		"UA_PROBE_TCP="+tcp.Addr().String(), "UA_PROBE_UDP="+udp.LocalAddr().String(),
		"UA_PROBE_ABSTRACT="+abstract, "UA_PROBE_SHM="+shm)
}

func (f *fixture) asUser() *syscall.SysProcAttr {
	if os.Getuid() != 0 || f.uid == 0 {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(f.uid),
		Gid: uint32(f.uid)}}
}

// command is a command of the fixture's user in the workspace.
func (f *fixture) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = filepath.Join(f.dir, "work"), f.env, f.asUser()
	return cmd
}

// users are whom the probes can be run as here.
func users(t *testing.T) []int {
	if os.Getuid() != 0 {
		t.Log("SKIPPED: as root: the tests don't run as root")
		return []int{os.Getuid()}
	}
	return []int{0, 1000}
}

// lost is what a tier can't keep or give (ua-sandbox(1), Tiers).
func lost(tier string) []string {
	switch tier {
	case "3":
		return []string{"proc/see", "proc/renice"}
	case "2":
		return []string{"proc/see", "proc/keys",
			"meta/chmod", "meta/chown", "meta/utime", "meta/xattr", "meta/chattr",
			"net/unix-out", "net/unix-home", "net/unix-cwd",
			"write/host-shm", "read/list-ssh", "read/host-tmp",
			"ipc/own-tcp", "ipc/own-tcp6", "ipc/own-udp", "tool/node-net",
			"ipc/own-shm", "ipc/own-queue", "dev/pty", "tool/script"}
	}
	return nil
}

func TestProbes(t *testing.T) {
	for _, uid := range users(t) {
		for _, tier := range tiers(t) {
			t.Run(fmt.Sprintf("uid%d/tier%s", uid, tier), func(t *testing.T) {
				f := newFixture(t, uid)
				probes(t, f, "--tier="+tier, lost(tier))
			})
		}
	}
}

// probes runs all probes in a sandbox and compares with what may be lost.
func probes(t *testing.T, f *fixture, option string, lost []string) {
	cmd := f.command(filepath.Join(f.bin, "ua-sandbox"), option, "--fd=8", "--",
		filepath.Join(f.bin, "probe"))
	kept, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	cmd.ExtraFiles = []*os.File{5: kept, 6: kept}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	good, all := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(stdout.String()), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		name, result, _ := strings.Cut(rest, " ")
		if kind != "blocked" && kind != "allowed" {
			continue
		}
		if program, missing := strings.CutPrefix(result, missingPrefix); missing {
			t.Run(name, func(t *testing.T) {
				scripttest.Skip(t, scripttest.Missing, "%s is not installed: scripts/setup-test installs it",
					program)
			})
			continue
		}
		all++
		if (kind == "blocked") == (result != "<nil>") {
			good++
		} else if !slices.Contains(lost, name) {
			t.Errorf("%s %s: %s", kind, name, result)
		}
	}
	t.Logf("%d of %d as they should be", good, all)
	if all < 150 {
		t.Errorf("only %d probes ran\n%s", all, stderr.Bytes())
	}
}
