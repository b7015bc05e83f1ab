//go:build linux

package landing

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// envNoExchange has the test binary run as on a file system of NFS.
const envNoExchange = "TRY_TEST_NO_EXCHANGE"

// TestWithoutExchange: what lands, and comes back, does so too where the file system can't
// exchange two files, as NFS. The kernel answers for it (seccomp(2)).
func TestWithoutExchange(t *testing.T) {
	if os.Getenv(envNoExchange) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWithoutExchange$")
		cmd.Env = append(os.Environ(), envNoExchange+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	p := confine.NewAssembly()
	p.Load(confine.CallNumber)
	p.NotEqual(unix.SYS_RENAMEAT2, "allow")
	p.Load(confine.CallArg(4))
	p.AnySet(unix.RENAME_EXCHANGE, "refuse")
	p.Label("allow")
	p.Return(unix.SECCOMP_RET_ALLOW)
	p.Label("refuse")
	p.Return(unix.SECCOMP_RET_ERRNO | uint32(unix.EINVAL))
	code, err := p.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	filter := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter))); errno != 0 {
		t.Fatal(errno)
	}
	runtime.KeepAlive(code)
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	if err := errors.Join(os.WriteFile(one, nil, 0o600), os.WriteFile(two, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, two,
		unix.RENAME_EXCHANGE); err != unix.EINVAL {
		t.Fatalf("an exchange: %v", err)
	}
	TestLanding(t)
	TestModel(t)
}
