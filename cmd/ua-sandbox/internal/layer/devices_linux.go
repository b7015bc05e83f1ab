package layer

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// cloneDevices opens the machine's device nodes that the sandbox gets as well, because no
// node can be made in a user namespace (mknod(2)).
func cloneDevices(terminal string) map[string]int {
	devices := map[string]int{}
	for _, name := range confine.Devices() {
		if fd, err := tree("/dev/" + name); err == nil {
			devices[name] = fd
		}
	}
	if terminal != "" {
		if fd, err := tree(terminal); err == nil {
			devices["console"] = fd
		}
	}
	return devices
}

// tmpfs is the default size of a file system in memory.
const tmpfs = "mode=0755,size=64k,nr_inodes=1k"

// ptsOptions are the mount options for new pseudo terminals
// (Documentation/filesystems/devpts.rst).
const ptsOptions = "newinstance,ptmxmode=0666,mode=0620"

// freshDev mounts a /dev that holds only the given devices, new pseudo terminals and new
// shared memory. Root would find the disks in the machine's own /dev.
func freshDev(devices map[string]int) error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC,
		tmpfs); err != nil {
		return err
	}
	for name, fd := range devices {
		path := "/dev/" + name
		if err := mountPoint(path, false); err != nil {
			return err
		}
		if err := put(fd, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	// The links that programs expect in /dev.
	for _, link := range [][2]string{{"/proc/self/fd", "fd"}, {"fd/0", "stdin"}, {"fd/1", "stdout"},
		{"fd/2", "stderr"}, {"pts/ptmx", "ptmx"}} {
		if err := unix.Symlink(link[0], "/dev/"+link[1]); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name, kind, data string
		flags            uintptr
	}{
		{"pts", "devpts", ptsOptions, unix.MS_NOSUID | unix.MS_NOEXEC},
		{"shm", "tmpfs", "mode=1777", unix.MS_NOSUID | unix.MS_NODEV},
		{"mqueue", "mqueue", "", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
	} {
		path := "/dev/" + m.name
		if err := unix.Mkdir(path, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, path, m.kind, m.flags, m.data); err != nil &&
			m.name != "mqueue" {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return makeBlanks()
}

// ownPidMax reports whether each PID namespace has its own pid_max, as since Linux 6.14.
// Before, the file is the machine's, and root may write it even without capabilities.
func ownPidMax() bool {
	var system unix.Utsname
	if unix.Uname(&system) != nil {
		return false
	}
	var major, minor int
	n, _ := fmt.Sscanf(unix.ByteSliceToString(system.Release[:]), "%d.%d", &major, &minor)
	return n == 2 && (major > 6 || major == 6 && minor >= 14)
}

// freshProc mounts /proc for the new PID namespace, and makes read-only what controls the
// kernel in it. pidMax, if not 0, limits process IDs, which binds root too (RLIMIT_NPROC
// does not). It returns ns_last_pid, open for writing, if there is a limit (proc(5)).
func freshProc(pidMax uint64) (last *os.File, err error) {
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC,
		""); err != nil {
		return nil, err
	}
	if pidMax != 0 && ownPidMax() {
		last, _ = os.OpenFile("/proc/sys/kernel/ns_last_pid", os.O_WRONLY, 0)
		_ = os.WriteFile("/proc/sys/kernel/pid_max", strconv.AppendUint(nil, pidMax, 10), 0)
	}
	for _, name := range []string{"sys", "irq", "bus", "fs", "sysrq-trigger"} {
		path := "/proc/" + name
		fd, err := tree(path)
		if err == unix.ENOENT {
			continue
		}
		if err == nil {
			err = lock(fd, "", unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|
				unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
		}
		if err == nil {
			err = put(fd, path)
		}
		if err != nil {
			return last, fmt.Errorf("%s: %w", path, err)
		}
	}
	return last, nil
}

// replace mounts a file with that text over a path.
func replace(path, text string) error {
	at := "/dev/." + strings.ReplaceAll(path[1:], "/", "-")
	if err := os.WriteFile(at, []byte(text), 0o444); err != nil {
		return err
	}
	fd, err := readOnly(at)
	if err != nil {
		return err
	}
	return put(fd, path)
}

// mountPoint creates the target of a mount, in a tree that belongs to the sandbox.
func mountPoint(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0o600)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// makeBlanks creates a folder and a file with no access rights in /dev, a file system of
// the sandbox. Masks are copies of them.
func makeBlanks() error {
	if err := unix.Mkdir(blankDir, 0); err != nil {
		return err
	}
	fd, err := unix.Open(blankFile, unix.O_CREAT|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

const (
	// What every mask is a copy of.
	blankDir  = "/dev/.denied"
	blankFile = "/dev/.denied-file"
)

// blank returns a read-only copy of one of the two.
func blank(dir bool) (int, error) {
	if dir {
		return readOnly(blankDir)
	}
	return readOnly(blankFile)
}

// readOnly returns a read-only copy of the mount at a path.
func readOnly(path string) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err == nil {
		err = lock(fd, "", unix.MOUNT_ATTR_RDONLY)
	}
	return fd, err
}
