package moves

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter tells of what renames, makes, removes, opens for writing and speaks to an
// address, and of nothing else: the rest costs nothing.
func TestFilter(t *testing.T) {
	var raw []bpf.RawInstruction
	for _, i := range filter() {
		raw = append(raw, bpf.RawInstruction{Op: i.Code, Jt: i.Jt, Jf: i.Jf, K: i.K})
	}
	code, ok := bpf.Disassemble(raw)
	vm, err := bpf.NewVM(code)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	// told runs the filter as the kernel does, but for the order of bytes.
	told := func(arch, nr uint32, args [6]uint64) bool {
		data := make([]byte, 64) // struct seccomp_data
		binary.BigEndian.PutUint32(data, nr)
		binary.BigEndian.PutUint32(data[4:], arch)
		for i, a := range args {
			binary.BigEndian.PutUint32(data[16+8*i:], uint32(a))
			binary.BigEndian.PutUint32(data[20+8*i:], uint32(a>>32))
		}
		verdict, err := vm.Run(data)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(verdict) == unix.SECCOMP_RET_USER_NOTIF
	}
	for _, c := range []struct {
		name string
		nr   uint32
		args [6]uint64
		told bool
	}{
		{"read", unix.SYS_READ, [6]uint64{}, false}, {"newfstatat", unix.SYS_NEWFSTATAT, [6]uint64{}, false},
		{"execve", unix.SYS_EXECVE, [6]uint64{}, false}, {"write", unix.SYS_WRITE, [6]uint64{1, 2, 3}, false},
		{"opened for reading", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_RDONLY | unix.O_CLOEXEC}, false},
		{"a folder", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_DIRECTORY | unix.O_NOFOLLOW}, false},
		{"for writing", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_WRONLY}, true},
		{"for both", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_RDWR | unix.O_CLOEXEC}, true},
		{"made", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_CREAT, 0o644}, true},
		{"emptied", unix.SYS_OPENAT, [6]uint64{0, 1, unix.O_TRUNC}, true},
		{"a mode that looks like flags", unix.SYS_OPENAT, [6]uint64{0, 1, 0, 0o3777}, false},
		{"openat2", unix.SYS_OPENAT2, [6]uint64{}, true},
		{"renameat2", unix.SYS_RENAMEAT2, [6]uint64{}, true}, {"mkdirat", unix.SYS_MKDIRAT, [6]uint64{}, true},
		{"unlinkat", unix.SYS_UNLINKAT, [6]uint64{}, true}, {"linkat", unix.SYS_LINKAT, [6]uint64{}, true},
		{"symlinkat", unix.SYS_SYMLINKAT, [6]uint64{}, true}, {"mknodat", unix.SYS_MKNODAT, [6]uint64{}, true},
		{"truncate", unix.SYS_TRUNCATE, [6]uint64{}, true}, {"connect", unix.SYS_CONNECT, [6]uint64{}, true},
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
	for _, nr := range renames {
		if len(writes[nr]) != 2 {
			t.Errorf("call %d: a rename has two names", nr)
		}
	}
}

func TestSplit(t *testing.T) {
	for name, want := range map[string][2]string{
		"a": {".", "a"}, "a/b": {"a/", "b"}, "/a": {"/", "a"}, "/": {".", ""}, "a/b//": {"a/", "b"},
		"": {".", ""}, "..": {".", ".."}, "a/..": {"a/", ".."}, "./a": {"./", "a"}, "//a//b": {"//a//", "b"},
	} {
		if dir, last := split(name); dir != want[0] || last != want[1] {
			t.Errorf("%q: %q and %q, want %q", name, dir, last, want)
		}
	}
}
