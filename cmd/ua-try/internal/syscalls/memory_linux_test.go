package syscalls

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// page is one page of memory with another behind it that can't be read. It returns the
// address at which text ends where the page does.
func page(t *testing.T, text string) uintptr {
	t.Helper()
	size := os.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 3*size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		copy(memory[2*size-len(text):], text)
		err = unix.Mprotect(memory[2*size:], unix.PROT_NONE)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(memory) })
	return uintptr(unsafe.Pointer(&memory[0])) + uintptr(2*size-len(text))
}

// TestReadString reads paths of a process as the kernel does: up to the zero byte, and
// nothing where memory ends before it or the path is longer than PATH_MAX.
func TestReadString(t *testing.T) {
	size := os.Getpagesize()
	for name, c := range map[string]struct {
		text, want string
		ok         bool
	}{
		"a path":           {"/a/b\x00", "/a/b", true},
		"an empty one":     {"\x00", "", true},
		"with more behind": {"a\x00b\x00", "a", true},
		"of any bytes":     {"\xff\n\x01\x00", "\xff\n\x01", true},
		"over pages": {strings.Repeat("x", size/2) + strings.Repeat("y", 100) + "\x00",
			strings.Repeat("x", size/2) + strings.Repeat("y", 100), true},
		"no end": {"/a/b", "", false},
		"the longest": {strings.Repeat("x", unix.PathMax-1) + "\x00",
			strings.Repeat("x", unix.PathMax-1), true},
		"longer than a path": {strings.Repeat("x", unix.PathMax) + "\x00", "", false},
	} {
		got, ok := readString(os.Getpid(), page(t, c.text))
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %.40q (%d), %v", name, got, len(got), ok)
		}
	}
	for _, address := range []uintptr{0, 1, ^uintptr(0) - 8} {
		if got, ok := readString(os.Getpid(), address); ok {
			t.Errorf("at %#x: %q", address, got)
		}
	}
	if got, ok := readString(1<<30, page(t, "a\x00")); ok {
		t.Errorf("of no process: %q", got)
	}
}

func TestOpenFlags(t *testing.T) {
	of := func(address uintptr) *notif {
		return &notif{pid: uint32(os.Getpid()), args: [6]uint64{2: uint64(address)}}
	}
	flags := uint64(unix.O_WRONLY | unix.O_NOFOLLOW)
	raw := binary.NativeEndian.AppendUint64(nil, flags)
	if got, ok := of(page(t, string(raw))).openFlags(); !ok || got != flags {
		t.Errorf("%#x %v", got, ok)
	}
	if got, ok := of(page(t, string(raw[:7]))).openFlags(); ok {
		t.Errorf("cut: %#x", got)
	}
	if _, ok := of(0).openFlags(); ok {
		t.Error("at 0")
	}
}

// TestWrites tells what is written outside, by a process's own words.
func TestWrites(t *testing.T) {
	dir, s := cwd(t)
	var written []string
	s.hear = Hearer{Written: func(path string) { written = append(written, path) },
		Changed: func(int, string) { t.Error("no cover is mounted here") }}
	os.WriteFile("lower/file", nil, 0o600)
	os.Symlink("file", "lower/link")
	call := func(nr int32, args ...uint64) string {
		n := &notif{pid: uint32(os.Getpid()), nr: nr}
		copy(n.args[:], args)
		written = nil
		s.writes(n, n.names())
		return strings.ReplaceAll(strings.Join(written, " "), dir+"/", "")
	}
	const here = 0xffffff9c
	file, link := uint64(page(t, "lower/file\x00")), uint64(page(t, "lower/link\x00"))
	fresh := uint64(page(t, "lower/new\x00"))
	how := func(flags int) uint64 {
		raw := binary.NativeEndian.AppendUint64(nil, uint64(flags))
		return uint64(page(t, string(raw)))
	}
	for _, c := range []struct {
		name string
		got  string
		want string
	}{
		{"opened", call(unix.SYS_OPENAT, here, file, unix.O_WRONLY), "lower/file"},
		{"made", call(unix.SYS_OPENAT, here, fresh, unix.O_CREAT), "lower/new"},
		{"by a link", call(unix.SYS_OPENAT, here, link, unix.O_WRONLY), "lower/file"},
		{"not by a link", call(unix.SYS_OPENAT, here, link, unix.O_WRONLY|unix.O_NOFOLLOW),
			"lower/link"},
		{"the link removed", call(unix.SYS_UNLINKAT, here, link), "lower/link"},
		{"renamed", call(unix.SYS_RENAMEAT2, here, file, here, fresh), "lower/file lower/new"},
		{"openat2 to read", call(unix.SYS_OPENAT2, here, file, how(unix.O_RDONLY)), ""},
		{"openat2 to write", call(unix.SYS_OPENAT2, here, file, how(unix.O_RDWR)), "lower/file"},
		{"openat2 without flags", call(unix.SYS_OPENAT2, here, file, 0), ""},
		{"a call that writes nothing", call(unix.SYS_GETPID, here, file), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
