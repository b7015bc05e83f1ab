package layer

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/test/scripttest"
)

// A stage is what the test binary does in namespaces of its own.
type stage struct {
	View    *View
	Overlay []Overlay // after the view
	Limits  []access.Limits
	Lo      bool
	Script  string // at the end
}

// TestMain makes the test binary such a stage.
func TestMain(m *testing.M) {
	text, ok := os.LookupEnv("LAYER_TEST_STAGE")
	if !ok {
		os.Exit(m.Run())
	}
	var s stage
	err := json.Unmarshal([]byte(text), &s)
	if err == nil {
		err = s.run()
	}
	var named *Step
	if errors.As(err, &named) && errors.Is(err, named.Err) {
		fmt.Print("step ")
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// run does it.
func (s *stage) run() error {
	if s.Lo {
		if err := LoopbackUp(); err != nil {
			return err
		}
	}
	if s.View != nil {
		if err := s.View.Build(); err != nil {
			return err
		}
		os.Setenv("OUTSIDE", s.View.TmpOutside())
	}
	for _, o := range s.Overlay {
		if err := o.Mount(); err != nil {
			return err
		}
	}
	for _, l := range s.Limits {
		if err := ulimit.Lower(ulimit.Of(l)); err != nil {
			return err
		}
	}
	cmd := exec.Command("/bin/sh", "-c", s.Script)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	_ = cmd.Run() // the script tells
	return nil
}

// in runs a stage in namespaces of its own and returns what it printed. DIR in it stands for
// the folder.
func in(t *testing.T, dir string, s stage) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "LAYER_TEST_STAGE=" +
		strings.ReplaceAll(string(text), "DIR", dir)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS |
		unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}}
	out, err := cmd.CombinedOutput()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		scripttest.Skip(t, scripttest.Refused, "no namespaces: %v", err)
	}
	return strings.ReplaceAll(string(out), dir, "DIR")
}

// desk makes a folder with files to hide, to show and to protect.
func desk(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"secret/key", "work/f", "work/.git/config", "work/.git/hooks/x",
		"state/runs/r/j", "state/audit", "tmp/old", "lower/a", "lower/b"} {
		full := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755),
			os.WriteFile(full, []byte(path+"\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("work", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestView builds views and looks around in them: what is hidden, what can be written, and
// what becomes of that outside.
func TestView(t *testing.T) {
	work := Mount{Path: "DIR/work", Kind: Bind}
	for _, c := range []struct {
		name         string
		view         View
		script, want string
		outside      string // files that the script has changed there, and their text
	}{
		{"read-only", View{},
			"cat DIR/work/f; (echo x >DIR/work/f) 2>/dev/null || echo no; touch /new 2>/dev/null || " +
				"echo neither", "work/f\nno\nneither\n", ""},
		{"a writable folder", View{Mounts: []Mount{work}}, "echo x >DIR/work/f; cat DIR/work/f; " +
			"(echo x >DIR/lower/a) 2>/dev/null || echo no", "x\nno\n", "work/f x"},
		{"no devices in it", View{Mounts: []Mount{work}},
			"mknod DIR/work/n c 1 3 2>/dev/null || echo no", "no\n", ""},
		{"what is protected in it", View{Mounts: []Mount{work, {Path: "DIR/work/.git", Kind: Bind},
			{Path: "DIR/work/.git/config", Kind: ReadOnlyBind}, {Path: "DIR/work/.git/hooks",
				Kind: ReadOnlyBind}}},
			"cd DIR/work; for c in 'echo x >.git/config' 'mv .git/config .git/c' 'rm .git/config' " +
				"'ln -sf x .git/config' 'touch .git/hooks/y' 'rm .git/hooks/x' " +
				"'mv .git/hooks .git/h' 'mv .git g'; do (eval \"$c\") 2>/dev/null && " +
				"echo \"$c\"; done; echo x >.git/HEAD; cat .git/config", "work/.git/config\n",
			"work/.git/HEAD x"},
		{"hidden", View{Mounts: []Mount{{Path: "DIR/secret", Kind: Masked, Dir: true},
			{Path: "DIR/state/audit", Kind: Masked}}},
			"ls -A DIR/secret; cat DIR/secret/key DIR/state/audit 2>&1 | " +
				"grep -v 'o such file'; (echo x >DIR/state/audit) 2>/dev/null || echo no; " +
				"stat -c %a DIR/secret DIR/state/audit", "no\n0\n0\n", ""},
		{"hidden but for one", View{Mounts: []Mount{{Path: "DIR/state", Kind: MaskedAround},
			{Path: "DIR/state/runs/r", Kind: Bind, Dir: true, Made: true}}},
			"cd DIR/state; find . | sort; echo x >runs/r/j; touch y runs/y 2>/dev/null || echo no",
			".\n./runs\n./runs/r\n./runs/r/j\nno\n", "state/runs/r/j x"},
		{"a file of the sandbox's", View{Mounts: []Mount{{Path: "DIR/work/f", Kind: FileOf,
			Text: "mine\n"}}},
			"cat DIR/work/f; (echo x >DIR/work/f) 2>/dev/null || echo no", "mine\nno\n", ""},
		{"a tmp in memory", View{Mounts: []Mount{{Path: "DIR/tmp", Kind: PrivateTmp}}},
			"ls DIR/tmp; echo x >DIR/tmp/new; stat -c %a DIR/tmp; echo \"$OUTSIDE\"", "1777\n\n", ""},
		{"a tmp on disk", View{Tmp: "DIR/tmp", Mounts: []Mount{{Path: "DIR/secret", Kind: PrivateTmp}}},
			"ls DIR/secret; echo x >DIR/secret/new; " +
				"case $OUTSIDE in /proc/self/fd/*/tmp) echo known;; esac",
			"old\nknown\n", "tmp/new x"},
		{"places for mounts", View{Mounts: []Mount{{Path: "DIR/tmp", Kind: Tmpfs},
			{Path: "DIR/tmp/in/work", Kind: Bind, Dir: true, Made: true}}},
			"ls DIR/tmp; cat DIR/tmp/in/work/f 2>&1",
			"step mounts: DIR/tmp/in/work: no such file or directory\n", ""},
		{"what is not there is not hidden", View{Mounts: []Mount{{Path: "DIR/none", Kind: Masked},
			{Path: "DIR/none/deep", Kind: MaskedAround}}}, "ls DIR/none 2>/dev/null || echo no", "no\n",
			""},
		{"what is not there is not shown", View{Mounts: []Mount{{Path: "DIR/none", Kind: Bind}}},
			"echo built",
			"step mounts: DIR/none: no such file or directory\n", ""},
		{"a link in the way", View{Mounts: []Mount{{Path: "DIR/link", Kind: Bind}}}, "echo built",
			"step mounts: DIR/link: too many levels of symbolic links\n", ""},
		{"a link on the way", View{Mounts: []Mount{{Path: "DIR/link/f", Kind: ReadOnlyBind}}},
			"echo built",
			"step mounts: DIR/link/f: too many levels of symbolic links\n", ""},
		{"a link that is protected", View{Mounts: []Mount{{Path: "DIR", Kind: Bind},
			{Path: "DIR/link", Kind: ReadOnlyBind}}},
			"rm DIR/link 2>/dev/null || echo no; readlink DIR/link",
			"no\nwork\n", ""},
		{"processes of its own", View{OwnProc: true},
			"read -r pid rest </proc/self/stat; [ $pid -lt 20 ] && echo few; " +
				"(echo x >/proc/sys/kernel/hostname) 2>/dev/null || echo no; " +
				"(echo x >/proc/sysrq-trigger) 2>/dev/null || echo neither", "few\nno\nneither\n", ""},
		{"devices of its own", View{},
			"echo x >/dev/null && head -c 3 /dev/zero | wc -c; ls /dev | grep -E " +
				"'^(sd|vd|nvme|loop|mem|kmsg)' ; touch /dev/new 2>/dev/null || echo no; " +
				"readlink /dev/stdin; echo x >/dev/shm/x && cat /dev/shm/x; ls /dev/pts",
			"3\nno\nfd/0\nx\nptmx\n", ""},
		{"a terminal", View{Terminal: "/dev/null"},
			"echo x >/dev/console && test -c /dev/console && echo there",
			"there\n", ""},
		{"all is writable", View{Whole: true},
			"echo x >DIR/work/f; (echo x >/proc/sys/kernel/hostname) 2>/dev/null || " +
				"echo no; ls /dev | grep -E '^(sd|vd|nvme)'", "no\n", "work/f x"},
		{"all is open", View{Open: true, Terminals: []string{"DIR/lower/b", "DIR/none"}, Mounts: []Mount{
			{Path: "DIR/secret", Kind: Masked, Dir: true}}},
			"echo x >DIR/work/f; ls DIR/secret; cat DIR/lower/b; " +
				"ls /dev/pts; test -e /dev/.denied || echo clean", "ptmx\nclean\n", "work/f x"},
		{"all is open, with a terminal", View{Open: true, Terminal: "/dev/null",
			Terminals: []string{"DIR/lower/b"}},
			"cat DIR/lower/b", "lower/b\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := desk(t)
			if got := in(t, dir, stage{View: &c.view, Script: c.script}); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			var changed []string
			_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				rel, _ := filepath.Rel(dir, path)
				text, _ := os.ReadFile(path)
				if err == nil && d.Type().IsRegular() && string(text) != rel+"\n" {
					changed = append(changed, strings.TrimSpace(rel+" "+string(text)))
				}
				return nil
			})
			if got := strings.Join(changed, ", "); got != c.outside {
				t.Errorf("outside: %q, want %q", got, c.outside)
			}
		})
	}
}

// TestOverlay shows a folder of the user's elsewhere: what is changed there stays there.
func TestOverlay(t *testing.T) {
	for _, c := range []struct {
		name, lower, at, script, want string
	}{
		{"changed", "DIR/lower", "DIR/tmp/a/cache",
			"cd DIR/tmp/a/cache; echo x >a; rm b; echo n >n; cat a n; ls",
			"x\nn\na\nn\n"},
		{"nothing there", "DIR/none", "DIR/tmp/cache", "ls -A DIR/tmp", "old\n"},
		{"a name with a colon", "DIR/lower", "DIR/tmp/a:b", "cat DIR/tmp/a:b/a", "lower/a\n"},
		{"a name with a comma", "DIR/lower", "DIR/tmp/a,b", "cat DIR/tmp/a,b/a", "lower/a\n"},
		{"below a file", "DIR/lower", "DIR/tmp/old/c", "", "mkdir DIR/tmp/old: not a directory\n"},
		{"of a file", "DIR/lower/a", "DIR/tmp/c", "", "overlay of DIR/lower/a: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := desk(t)
			// In a file system that overlayfs takes for its upper layer, wherever the tests are.
			view := &View{Mounts: []Mount{{Path: "DIR/tmp", Kind: PrivateTmp}}}
			if strings.Contains(c.at, "/old/") || strings.Contains(c.want, "old") {
				c.script = "true; " + c.script
				view.Mounts[0] = Mount{Path: "DIR/tmp", Kind: Bind}
			}
			got := in(t, dir, stage{View: view, Overlay: []Overlay{{Lower: c.lower, At: c.at}},
				Script: c.script})
			if got != c.want && (strings.HasSuffix(c.want, "\n") || !strings.HasPrefix(got, c.want)) {
				t.Errorf("%q, want %q", got, c.want)
			}
			for _, name := range []string{"a", "b"} {
				if text, err := os.ReadFile(filepath.Join(dir, "lower",
					name)); string(text) != "lower/"+name+"\n" {
					t.Errorf("the user's own %s: %q, %v", name, text, err)
				}
			}
		})
	}
}

// TestSetLimits sets each limit, and raises none that is lower. The memory is more than Go's
// runtime maps here between the limit and the shell.
func TestSetLimits(t *testing.T) {
	const show = "ulimit -d; ulimit -t; ulimit -f"
	for _, c := range []struct {
		limits []access.Limits
		script string
		want   string
	}{
		{[]access.Limits{{Mem: 512 << 20, CPU: 7, Fsize: 8192}}, show, "524288\n7\n16\n"},
		{[]access.Limits{{Fsize: 4096}},
			"cd DIR/work; (exec 2>/dev/null; head -c 9000 /dev/zero >big; true); stat -c %s big",
			"4096\n"},
		{[]access.Limits{{CPU: 9}}, "ulimit -t 5; ulimit -t; ulimit -t 6 2>/dev/null || echo no",
			"5\nno\n"},
		{[]access.Limits{{CPU: 9}}, "ulimit -t 10 2>/dev/null || echo no; ulimit -t", "no\n9\n"},
		{[]access.Limits{{CPU: 5}, {CPU: 9, Mem: 1 << 29}, {CPU: 7, Mem: 1 << 30}},
			"ulimit -t; ulimit -d",
			"5\n524288\n"},
	} {
		if got := in(t, desk(t), stage{Limits: c.limits, Script: c.script}); got != c.want {
			t.Errorf("%+v, %s: %q, want %q", c.limits, c.script, got, c.want)
		}
	}
}

// TestLoopback activates the loopback of a network of its own: nothing else is in it.
func TestLoopback(t *testing.T) {
	const script = "cat /proc/net/dev | tail -n +3 | cut -d: -f1; " +
		"cat /sys/class/net/lo/flags 2>/dev/null; " +
		"cat /proc/net/if_inet6 | grep -c 00000001 || true"
	for lo, want := range map[bool]string{false: "0\n", true: "1\n"} {
		if got := in(t, desk(t), stage{Lo: lo, Script: script}); !strings.HasSuffix(got, want) ||
			!strings.HasPrefix(strings.TrimSpace(got), "lo\n") {
			t.Errorf("%v: %q", lo, got)
		}
	}
}

// TestListen has a port of its own, a given one, and an error that names one that is taken.
func TestListen(t *testing.T) {
	local := [4]byte{127, 0, 0, 1}
	for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
		fd, port, err := Listen(kind, local, 0)
		if err != nil || port == 0 {
			t.Fatalf("%d: port %d, %v", kind, port, err)
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil ||
			flags != unix.FD_CLOEXEC {
			t.Errorf("%d: commands would inherit it: %d, %v", kind, flags, err)
		}
		_, _, err = Listen(kind, local, port)
		var s *Step
		if !errors.As(err, &s) || s.Name != "listener" || !errors.Is(err, unix.EADDRINUSE) ||
			!strings.Contains(err.Error(), fmt.Sprint("listener: port ", port)) {
			t.Errorf("%d: taken: %v", kind, err)
		}
		unix.Close(fd)
	}
	if _, _, err := Listen(-1, local, 0); !errors.Is(err, unix.EINVAL) {
		t.Errorf("no kind of socket: %v", err)
	}
}
