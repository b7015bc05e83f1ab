package layer

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/internal/test/scripttest"
)

// confined applies a confinement to a thread of its own, which ends with it, and has do look at
// what is left.
func confined(t *testing.T, c Confinement, do func(status map[string]string)) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this function
		err := c.Apply()
		if err == nil {
			do(threadStatus())
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// threadStatus is /proc/thread-self/status (proc(5)).
func threadStatus() map[string]string {
	text, _ := os.ReadFile("/proc/thread-self/status")
	members := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		members[name] = strings.TrimSpace(value)
	}
	return members
}

// set is one of the thread's sets of capabilities.
func set(t *testing.T, status map[string]string, name string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(status[name], 16, 64)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return n
}

// TestCapabilities: what is left of a thread's capabilities, by the kernel's own word
// (capabilities(7)), and that other threads keep theirs.
func TestCapabilities(t *testing.T) {
	before := threadStatus()
	confined(t, Confinement{}, func(now map[string]string) {
		for _, name := range []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"} {
			if now[name] != before[name] {
				t.Errorf("kept: %s is %s, was %s", name, now[name], before[name])
			}
		}
		if now["NoNewPrivs"] != "1" {
			t.Error("new privileges are possible")
		}
	})
	confined(t, Confinement{Caps: NoCaps}, func(now map[string]string) {
		for _, name := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
			if set(t, now, name) != 0 {
				t.Errorf("none: %s is %s", name, now[name])
			}
		}
		asRoot := os.Geteuid() == 0 && set(t, before, "CapEff")>>unix.CAP_SETPCAP&1 == 1
		if bound := set(t, now, "CapBnd"); asRoot && bound != 0 {
			t.Errorf("an exec of root's gets %x", bound)
		}
	})
	// By numbers of linux/capability.h: what could take the masks of a sandbox off.
	unmasking := map[string]uint{"DAC_READ_SEARCH": 2, "SYS_MODULE": 16, "SYS_RAWIO": 17,
		"SYS_CHROOT": 18, "SYS_PTRACE": 19, "SYS_ADMIN": 21, "SYS_BOOT": 22, "MKNOD": 27,
		"PERFMON": 38, "BPF": 39}
	had := set(t, before, "CapEff")
	confined(t, Confinement{Caps: RootCaps}, func(now map[string]string) {
		gone := uint64(0)
		for name, n := range unmasking {
			gone |= 1 << n
			for _, which := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd"} {
				if which == "CapBnd" && had>>unix.CAP_SETPCAP&1 == 0 {
					continue // the kernel lets nobody else change it
				}
				if set(t, now, which)>>n&1 == 1 {
					t.Errorf("root's: %s still has CAP_%s", which, name)
				}
			}
		}
		if got := set(t, now, "CapEff"); got != had&^gone {
			t.Errorf("root's: %x is left of %x", got, had)
		}
	})
	after := threadStatus()
	if after["CapEff"] != before["CapEff"] || after["NoNewPrivs"] != before["NoNewPrivs"] {
		t.Errorf("this thread: %s, was %s", after["CapEff"], before["CapEff"])
	}
}

// TestRootCan: root in a sandbox changes owners of files, and can do none of what would show it
// files that are hidden. Each would do nothing if it were allowed: the kernel asks for the
// capability first.
func TestRootCan(t *testing.T) {
	if os.Geteuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root has these capabilities")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var system unix.Utsname
	if err := unix.Uname(&system); err != nil {
		t.Fatal(err)
	}
	name := system.Nodename
	for _, caps := range []Caps{RootCaps, NoCaps} {
		confined(t, Confinement{Caps: caps}, func(map[string]string) {
			if err := unix.Chown(file, 1000, 1000); (err == nil) != (caps == RootCaps) {
				t.Errorf("set %d: chown: %v", caps, err)
			}
			device := int(unix.Mkdev(1, 3))
			for what, err := range map[string]error{
				"mount":       unix.Mount("none", dir, "no-such-type", 0, ""),
				"unmount":     unix.Unmount(dir, 0),
				"chroot":      unix.Chroot("/"),
				"device node": unix.Mknod(filepath.Join(dir, "null"), unix.S_IFCHR|0o600, device),
				"namespace":   unix.Unshare(unix.CLONE_NEWNS),
				"hostname":    unix.Sethostname(name[:bytes.IndexByte(name[:], 0)]),
			} {
				if err != unix.EPERM {
					t.Errorf("set %d: %s: %v", caps, what, err)
				}
			}
		})
		if err := os.Chown(file, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKeyring: the keys of the session that a sandbox was started in are not its own.
func TestKeyring(t *testing.T) {
	done := make(chan func())
	go func() {
		runtime.LockOSThread()
		const name = "ua-test-key"
		_, _, errno := unix.RawSyscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
		if errno != 0 {
			done <- func() { scripttest.Skip(t, scripttest.Elsewhere, "keyrings: %v", errno) }
			return
		}
		_, err := unix.AddKey("user", name, []byte("secret"), unix.KEY_SPEC_SESSION_KEYRING)
		if err != nil {
			done <- func() { scripttest.Skip(t, scripttest.Elsewhere, "keyrings: %v", err) }
			return
		}
		search := func() error {
			_, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, "user", name, 0)
			return err
		}
		plain := search()
		kept := Confinement{}.Apply()
		still := search()
		err = Confinement{Keyring: true}.Apply()
		gone := search()
		done <- func() {
			if plain != nil || kept != nil || still != nil || err != nil || gone != unix.ENOKEY {
				t.Errorf("there %v, confined %v, still there %v; a new keyring %v, then %v",
					plain, kept, still, err, gone)
			}
		}
	}()
	(<-done)()
}
