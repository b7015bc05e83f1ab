package confine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// confined says, line by line, what TestMain is to try in the grant of the same name.
const confined = "CONFINE_TEST_DIR"

func TestMain(m *testing.M) {
	dir := os.Getenv(confined)
	if dir == "" {
		os.Exit(m.Run())
	}
	done := make(chan error)
	Thread(func() {
		g := Grant{ReadOnly: os.Getenv("READ_ONLY") != "", Tmp: dir + "/tmp",
			Hidden: []string{dir + "/hidden"},
			Write:  []string{dir + "/write", dir + "/link/in", dir + "/none"}}
		if g.ReadOnly {
			g.Write = nil
		}
		err := g.Apply(0)
		if err == nil {
			attempts(dir)
		}
		done <- err
	})
	if err := <-done; err != nil {
		fmt.Println("not applied:", err)
	}
	os.Exit(0)
}

// attempts tries what a grant allows and what it does not, and prints what worked.
func attempts(dir string) {
	at := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) func() error {
		return func() error { _, err := os.ReadFile(at(name)); return err }
	}
	write := func(name string) func() error {
		return func() error { return os.WriteFile(at(name), []byte("x"), 0o600) }
	}
	for _, a := range []struct {
		name string
		do   func() error
	}{
		{"read", read("plain/f")}, {"read hidden", read("hidden/f")},
		{"list hidden", func() error { _, err := os.ReadDir(at("hidden")); return err }},
		{"read in write", read("write/f")}, {"write", write("write/f")}, {"make", write("write/new")},
		{"write plain", write("plain/f")}, {"make plain", write("plain/new")},
		{"write tmp", write("tmp/f")},
		{"cut plain", func() error { return os.Truncate(at("plain/f"), 0) }},
		{"remove plain", func() error { return os.Remove(at("plain/f")) }},
		{"remove", func() error { return os.Remove(at("write/new")) }},
		{"move out", func() error { return os.Rename(at("write/f"), at("plain/g")) }},
		{"move in", func() error { return os.Rename(at("plain/f"), at("write/g")) }},
		{"link in", func() error { return os.Link(at("plain/f"), at("write/h")) }},
		{"through a link of the path", write("link/in/f")},
		{"mode", func() error { return os.Chmod(at("write/f"), 0o700) }},
		{"device", func() error { return unix.Mknod(at("write/null"), unix.S_IFCHR|0o600, 1<<8|3) }},
		{"/dev/null", func() error { return os.WriteFile("/dev/null", nil, 0) }},
		{"signal", func() error { return unix.Kill(os.Getppid(), 0) }},
		{"own signal", func() error { return unix.Kill(os.Getpid(), 0) }},
		{"inside", func() error {
			if Inside() != "4" {
				return unix.ENOENT
			}
			return nil
		}},
		{"rights", func() error {
			return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) // to be taken back
		}},
	} {
		switch err := a.do(); {
		case err == nil:
			fmt.Println(a.name)
		case !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) &&
			!errors.Is(err, unix.EXDEV) && !errors.Is(err, unix.EINVAL) &&
			!errors.Is(err, unix.ENOENT):
			fmt.Printf("%s: %v\n", a.name, err)
		}
	}
}

// TestApply has a process of its own lock itself as a command's thread is, and try.
func TestApply(t *testing.T) {
	if ABI() < 6 {
		scripttest.Skip(t, scripttest.Refused, "Landlock %d", ABI())
	}
	// The names in a hidden folder can be listed: Rules allows that below the root.
	for name, want := range map[string]string{
		"": "read, list hidden, read in write, write, make, write tmp, remove, " +
			"/dev/null, own signal, inside, mode",
		"1": "read, list hidden, read in write, write tmp, /dev/null, own signal, inside",
	} {
		dir := grown(t, "plain/f", "hidden/f", "write/f", "tmp/", "elsewhere/in/", "link -> elsewhere")
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{confined + "=" + dir, "UA_SANDBOX=4", "READ_ONLY=" + name}
		out, err := cmd.CombinedOutput()
		got, wanted := strings.Split(strings.TrimSpace(string(out)), "\n"), strings.Split(want, ", ")
		slices.Sort(got)
		slices.Sort(wanted)
		if err != nil || !slices.Equal(got, wanted) {
			t.Errorf("read-only %q: %v\n got %q\nwant %q", name, err, got, wanted)
		}
	}
}

// TestInside: a claim alone is none.
func TestInside(t *testing.T) {
	t.Setenv("UA_SANDBOX", "4")
	status, err := os.ReadFile("/proc/self/status")
	if err == nil && bytes.Contains(status, []byte("Seccomp:\t0")) {
		if got := Inside(); got != "" {
			t.Errorf("%q", got)
		}
	}
}

// TestHanded: what comes as a standard file can be opened by its name, as far as it is open.
func TestHanded(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, flags int) *os.File {
		f, err := os.OpenFile(filepath.Join(dir, name), flags|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	deleted := file("deleted", os.O_RDWR)
	os.Remove(deleted.Name())
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		files [3]*os.File
		want  []Rule
	}{
		{"files", [3]*os.File{file("a", os.O_RDONLY), file("b", os.O_WRONLY), file("c", os.O_RDWR)},
			[]Rule{{Fd: 0, Rights: Device | Read}, {Fd: 1, Rights: Device | Write},
				{Fd: 2, Rights: Device | Read | Write}}},
		{"pipes", [3]*os.File{r, w, w}, nil},
		{"no paths", [3]*os.File{folder, deleted, null}, []Rule{{Fd: 2, Rights: Device | Read | Write}}},
		{"closed", [3]*os.File{null, nil, nil}, []Rule{{Fd: 0, Rights: Device | Read | Write}}},
	} {
		if got := handedIn(t, c.files); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// handedIn returns Handed with other standard files for the while.
func handedIn(t *testing.T, files [3]*os.File) []Rule {
	var saved [3]int
	for fd := range saved {
		was, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 10)
		if err != nil {
			t.Fatal(err)
		}
		saved[fd] = was
		if files[fd] == nil {
			unix.Close(fd)
		} else if err := unix.Dup3(int(files[fd].Fd()), fd, 0); err != nil {
			t.Fatal(err)
		}
	}
	rules := Handed()
	for fd, was := range saved {
		unix.Dup3(was, fd, 0)
		unix.Close(was)
	}
	return rules
}
