package syscalls

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// The filter tells of what renames, makes, removes, opens for writing and speaks to an
// address, and of nothing else: the rest costs nothing.
func TestFilter(t *testing.T) {
	code, err := filter()
	if err != nil {
		t.Fatal(err)
	}
	told := func(arch, nr uint32, args [6]uint64) bool {
		return scripttest.Filter(t, code, arch, nr, args[:]...) == unix.SECCOMP_RET_USER_NOTIF
	}
	for _, c := range []struct {
		name string
		nr   uint32
		args [6]uint64
		told bool
	}{
		{"read", unix.SYS_READ, [6]uint64{}, false}, {"newfstatat", unix.SYS_NEWFSTATAT, [6]uint64{},
			false},
		{"execve", unix.SYS_EXECVE, [6]uint64{}, false}, {"write", unix.SYS_WRITE, [6]uint64{1, 2, 3},
			false},
		{"opened for reading", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_RDONLY | unix.O_CLOEXEC}, false},
		{"a folder", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_DIRECTORY | unix.O_NOFOLLOW}, false},
		{"for writing", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_WRONLY}, true},
		{"for both", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_RDWR | unix.O_CLOEXEC}, true},
		{"made", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_CREAT, 0o644}, true},
		{"emptied", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_TRUNC}, true},
		{"a mode that looks like flags", unix.SYS_OPENAT, [6]uint64{0, 1, 0, 0o3777}, false},
		{"openat2", unix.SYS_OPENAT2, [6]uint64{}, true},
		{"renameat2", unix.SYS_RENAMEAT2, [6]uint64{}, true}, {"mkdirat", unix.SYS_MKDIRAT, [6]uint64{},
			true},
		{"unlinkat", unix.SYS_UNLINKAT, [6]uint64{}, true}, {"linkat", unix.SYS_LINKAT, [6]uint64{},
			true},
		{"symlinkat", unix.SYS_SYMLINKAT, [6]uint64{}, true}, {"mknodat", unix.SYS_MKNODAT, [6]uint64{},
			true},
		{"truncate", unix.SYS_TRUNCATE, [6]uint64{}, true}, {"connect", unix.SYS_CONNECT, [6]uint64{},
			true},
		{"sendto a peer", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 0, 0}, false},
		{"sendto an address", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 0x1000, 16}, true},
		{"sendto a high address", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 1 << 40, 16}, true},
	} {
		if got := told(auditArch, c.nr, c.args); got != c.told {
			t.Errorf("%s: told %v", c.name, got)
		}
		if told(auditArch^1, c.nr, c.args) {
			t.Errorf("%s: told of another architecture's", c.name)
		}
	}
	for nr, argument := range opens {
		var args [6]uint64
		if told(auditArch, nr, args) {
			t.Errorf("call %d: told of reading", nr)
		}
		if args[argument] = unix.O_WRONLY; !told(auditArch, nr, args) {
			t.Errorf("call %d: not told of writing", nr)
		}
	}
	for nr, places := range writes {
		if _, open := opens[nr]; !open && (!told(auditArch, nr, [6]uint64{}) || len(places) == 0) {
			t.Errorf("call %d is not told", nr)
		}
	}
	two := 0
	for _, places := range writes {
		if len(places) == 2 {
			two++
		}
	}
	if names := writes[unix.SYS_RENAMEAT2]; len(names) != 2 || two > 3 {
		t.Errorf("%d calls have two names, not just those that rename", two)
	}
}

// TestNames reads the names of calls out of a process: this one.
func TestNames(t *testing.T) {
	address := func(text string) uint64 {
		raw := append([]byte(text), 0)
		t.Cleanup(func() { runtime.KeepAlive(raw) })
		return uint64(uintptr(unsafe.Pointer(&raw[0])))
	}
	long := strings.Repeat("x/", unix.PathMax/2-1) + "x"
	pid := uint32(os.Getpid())
	for _, c := range []struct {
		what  string
		n     notif
		names []named
		flags uint64
	}{
		{"mkdirat", notif{nr: unix.SYS_MKDIRAT, args: [6]uint64{7, address("a/b")}}, []named{{7, "a/b"}},
			0},
		{"truncate", notif{nr: unix.SYS_TRUNCATE, args: [6]uint64{address("/a")}},
			[]named{{unix.AT_FDCWD, "/a"}}, 0},
		{"linkat", notif{nr: unix.SYS_LINKAT, args: [6]uint64{1, 0, 4, address("b")}}, []named{{4, "b"}},
			0},
		{"renameat2", notif{nr: unix.SYS_RENAMEAT2, args: [6]uint64{3, address("a"), 1<<32 - 100,
			address(long), 2}},
			[]named{{3, "a"}, {unix.AT_FDCWD, long}}, unix.RENAME_EXCHANGE},
		{"no address", notif{nr: unix.SYS_RENAMEAT2, args: [6]uint64{3, address("a"), 4, 1}}, nil, 0},
		{"too long", notif{nr: unix.SYS_MKDIRAT, args: [6]uint64{7, address(long + "xx")}}, nil, 0},
		{"read", notif{nr: unix.SYS_READ}, nil, 0},
	} {
		c.n.pid = pid
		if got := c.n.names(); !slices.Equal(got, c.names) || c.n.renameFlags() != c.flags {
			t.Errorf("%s: %.200v, flags %d", c.what, got, c.n.renameFlags())
		}
	}
}

func TestSplit(t *testing.T) {
	for name, want := range map[string][2]string{
		"a": {".", "a"}, "a/b": {"a/", "b"}, "/a": {"/", "a"}, "/": {".", ""}, "a/b//": {"a/", "b"},
		"": {".", ""}, "..": {".", ".."}, "a/..": {"a/", ".."}, "./a": {"./", "a"}, "//a//b": {"//a//",
			"b"},
	} {
		if dir, last := split(name); dir != want[0] || last != want[1] {
			t.Errorf("%q: %q and %q, want %q", name, dir, last, want)
		}
	}
}
