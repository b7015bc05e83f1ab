package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An attempt tries one thing inside a sandbox: nil is that it worked.
type attempt struct {
	name string
	try  func() error
}

// at is a path of the fixture, or another thing that it tells by a variable.
func at(parts ...string) string {
	return filepath.Join(append([]string{filepath.Dir(must(os.Getwd()))}, parts...)...)
}

func must(s string, _ error) string { return s }

func number(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

// holdsSecret tries to read the marker that the fixture puts into each secret.
func holdsSecret(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), "MARKER") {
		err = errors.New("no marker")
	}
	return err
}

func write(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		f.Close()
	}
	return err
}

// call makes a raw system call.
func call(nr uintptr, args ...uintptr) func() error {
	return func() error {
		a := append(args, make([]uintptr, 6)...)
		if _, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
			return errno
		}
		return nil
	}
}

// refusedCall is like call for calls that fail anyway here: they count as blocked
// only by the filter's own errors.
func refusedCall(nr uintptr, args ...uintptr) func() error {
	return func() error {
		err := call(nr, args...)()
		if err == unix.EPERM || err == unix.ENOSYS || err == unix.EACCES {
			return err
		}
		return nil
	}
}

func socket(family, kind, proto int) func() error {
	return func() error {
		fd, err := unix.Socket(family, kind, proto)
		if err == nil {
			unix.Close(fd)
		}
		return err
	}
}

func ptr(s string) uintptr {
	b, _ := unix.BytePtrFromString(s)
	return uintptr(unsafe.Pointer(b))
}

func sh(line string) func() error {
	return func() error {
		out, err := exec.Command("sh", "-c", line).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	}
}

func dial(network, addr string) func() error {
	return func() error {
		c, err := net.Dial(network, addr)
		if err == nil {
			if _, err = c.Write([]byte("x")); err == nil && network == "udp" {
				_, err = c.Write([]byte("x"))
			}
			c.Close()
		}
		return err
	}
}

// blocked are the things that must not work.
func blocked() []attempt {
	out, pid := at("out"), number("UA_PROBE_PID")
	list := []attempt{
		{"write/create", func() error { return write(out + "/new") }},
		{"write/append", func() error { return write(out + "/file") }},
		{"write/truncate", func() error { return os.Truncate(out+"/file", 0) }},
		{"write/unlink", func() error { return os.Remove(out + "/victim") }},
		{"write/mkdir", func() error { return os.Mkdir(out+"/newdir", 0o755) }},
		{"write/rmdir", func() error { return os.Remove(out + "/dir") }},
		{"write/rename", func() error { return os.Rename(out+"/file", out+"/file2") }},
		{"write/renamein", func() error { return os.Rename(out+"/file", at("work/stolen")) }},
		{"write/renameout", func() error { return os.Rename(at("work/file"), out+"/file3") }},
		{"write/link", func() error { return os.Link(out+"/file", at("work/hard")) }},
		{"write/linkout", func() error { return os.Link(at("work/file"), out+"/hard") }},
		{"write/symlink", func() error { return os.Symlink("x", out+"/sym") }},
		{"write/fifo", func() error { return unix.Mkfifo(out+"/fifo", 0o600) }},
		{"write/through-symlink", func() error {
			_ = os.Symlink(out+"/file", at("work/ln"))
			return write(at("work/ln"))
		}},
		{"write/proc-root", func() error { return write("/proc/self/root" + out + "/new2") }},
		{"write/proc-cwd", func() error { return write("/proc/self/cwd/../out/new3") }},
		{"write/home", func() error { return write(at("home/.bashrc")) }},
		{"write/etc", func() error { return write("/etc/ua-probe") }},
		{"write/usr", func() error { return write("/usr/bin/ua-probe") }},
		{"write/host-tmp", func() error { return os.Truncate(at("host"), 3) }},
		{"write/host-shm", func() error {
			return os.Truncate("/dev/shm/"+os.Getenv("UA_PROBE_SHM"), 8)
		}},
		{"meta/chmod", func() error { return os.Chmod(out+"/file", 0o600) }},
		{"meta/chown", func() error { return os.Chown(out+"/file", os.Getuid(), os.Getgid()) }},
		{"meta/utime", func() error { return unix.Utimes(out+"/file", []unix.Timeval{{}, {}}) }},
		{"meta/xattr", func() error { return unix.Setxattr(out+"/file", "user.x", []byte("y"), 0) }},
		{"meta/chattr", func() error {
			f, err := os.Open(out + "/file")
			if err != nil {
				return err
			}
			defer f.Close()
			return unix.IoctlSetPointerInt(int(f.Fd()), 0x40086602, 0x80)
		}},
		{"read/host-tmp", func() error { return holdsSecret(at("host")) }},
		{"read/shadow", func() error { _, err := os.ReadFile("/etc/shadow"); return err }},
		{"read/list-ssh", func() error { _, err := os.ReadDir(at("home/.ssh")); return err }},
		{"read/proc-root-ssh", func() error {
			return holdsSecret("/proc/self/root" + at("home/.ssh/id"))
		}},
		{"read/symlinked-target", func() error { return holdsSecret(at("elsewhere/azure/token")) }},
		{"read/renamed-parent", func() error {
			if err := os.Rename(at("home/.config"), at("home/.config2")); err != nil {
				return err
			}
			return holdsSecret(at("home/.config2/gh/hosts.yml"))
		}},
		{"read/by-handle", func() error {
			h, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, at("home"), 0)
			if err != nil {
				return err
			}
			_ = mount
			fd, err := unix.OpenByHandleAt(unix.AT_FDCWD, h, unix.O_RDONLY)
			_ = fd
			return err
		}},
		{"read/raw-disk", func() error {
			var st unix.Stat_t
			if err := unix.Stat("/", &st); err != nil {
				return err
			}
			for _, name := range []string{"/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/mem", "/dev/kmsg"} {
				if f, err := os.Open(name); err == nil {
					f.Close()
					return nil
				}
			}
			return errors.New("no disk")
		}},
		{"mknod/disk", func() error {
			return unix.Mknod(at("work/disk"), unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0)))
		}},
		{"mknod/char", func() error {
			return unix.Mknod(at("work/mem"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1)))
		}},
		{"env/launcher", func() error {
			return holdsSecret(fmt.Sprintf("/proc/%d/environ", number("UA_PROBE_PARENT")))
		}},
		{"env/own", func() error {
			if strings.Contains(strings.Join(os.Environ(), " "), "MARKER") {
				return nil
			}
			return errors.New("clean")
		}},
		{"env/init", func() error { _, err := os.ReadFile("/proc/1/environ"); return err }},
		{"env/any", func() error {
			files, _ := filepath.Glob("/proc/[0-9]*/environ")
			for _, f := range files {
				if holdsSecret(f) == nil {
					return nil
				}
			}
			return errors.New("clean")
		}},
		{"fd/inherited", func() error { _, err := unix.FcntlInt(9, unix.F_GETFD, 0); return err }},
		{"fd/through-proc", func() error { f, err := os.Open("/proc/1/fd/3"); f.Close(); return err }},
		{"proc/kill", func() error { return unix.Kill(pid, 0) }},
		{"proc/kill-init", func() error { return unix.Kill(os.Getppid(), 0) }},
		{"proc/see", func() error { _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); return err }},
		{"proc/ptrace", func() error { return unix.PtraceAttach(pid) }},
		{"proc/mem", func() error {
			f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
			f.Close()
			return err
		}},
		{"proc/vm-read", func() error {
			b := make([]byte, 8)
			_, err := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &b[0], Len: 8}},
				[]unix.RemoteIovec{{Base: 4096, Len: 8}}, 0)
			if err == unix.EFAULT {
				return nil
			}
			return err
		}},
		{"proc/prlimit", func() error {
			return unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: 64}, nil)
		}},
		{"proc/renice", func() error { return unix.Setpriority(unix.PRIO_PROCESS, pid, 5) }},
		{"proc/pidfd-getfd", refusedCall(unix.SYS_PIDFD_GETFD, 0, 0)},
		{"proc/init-mem", func() error {
			f, err := os.OpenFile("/proc/1/mem", os.O_RDWR, 0)
			f.Close()
			return err
		}},
		{"proc/init-ptrace", func() error { return unix.PtraceAttach(1) }},
		{"proc/keys", func() error { _, err := os.ReadFile("/proc/keys"); return err }},
		{"proc/core-pattern", func() error { return writeSame("/proc/sys/kernel/core_pattern") }},
		{"proc/sysctl", func() error { return writeSame("/proc/sys/kernel/panic") }},
		{"proc/sysrq", func() error { return os.WriteFile("/proc/sysrq-trigger", []byte("h"), 0) }},
		{"net/tcp", dial("tcp", os.Getenv("UA_PROBE_TCP"))},
		{"net/udp", dial("udp", os.Getenv("UA_PROBE_UDP"))},
		{"net/outside", dial("tcp", "192.0.2.1:80")},
		{"net/abstract", dial("unix", "@"+os.Getenv("UA_PROBE_ABSTRACT"))},
		{"net/unix-out", dial("unix", out+"/sock")},
		{"net/unix-home", dial("unix", at("home/sock"))},
		{"net/unix-cwd", dial("unix", at("work/sock"))},
		{"ipc/shm", func() error {
			id, err := unix.SysvShmGet(0x7561, 0, 0)
			if err == nil {
				_, err = unix.SysvShmAttach(id, 0, 0)
			}
			return err
		}},
		{"tty/tiocsti", func() error { b := byte('x'); return ioctl(0, unix.TIOCSTI, &b, unix.EPERM) }},
		{"tty/tioclinux", func() error {
			b := byte(2)
			return ioctl(0, unix.TIOCLINUX, &b, unix.EPERM)
		}},
		{"tty/tiocsti-high-bits", func() error {
			b := byte('x')
			return ioctl(0, unix.TIOCSTI|1<<32, &b, unix.EPERM)
		}},
	}
	for _, name := range []string{".ssh/id", ".aws/credentials", ".gnupg/key", ".netrc",
		".config/gh/hosts.yml", ".docker/config.json",
		".kube/config", ".git-credentials", ".azure/token", ".bash_history", ".config/ua/config.toml",
		".npmrc", ".pypirc", ".mozilla/cookies"} {
		list = append(list, attempt{"read/" + name, func() error {
			return holdsSecret(at("home", name))
		}})
	}
	return append(list, kernel()...)
}

// kernel are the calls that reach the kernel's own parts.
func kernel() []attempt {
	return []attempt{
		{"kernel/mount", call(unix.SYS_MOUNT, ptr("none"), ptr(at("work")), ptr("tmpfs"), 0, 0)},
		{"kernel/umount", refusedCall(unix.SYS_UMOUNT2, ptr(at("home/.ssh")), unix.MNT_DETACH)},
		{"kernel/pivot-root", refusedCall(unix.SYS_PIVOT_ROOT, ptr("/"), ptr("/"))},
		{"kernel/chroot", call(unix.SYS_CHROOT, ptr(at("work")))},
		{"kernel/unshare-user", call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
		{"kernel/unshare-mount", call(unix.SYS_UNSHARE, unix.CLONE_NEWNS)},
		{"kernel/unshare-net", call(unix.SYS_UNSHARE, unix.CLONE_NEWNET)},
		{"kernel/setns", func() error {
			f, err := os.Open("/proc/self/ns/net")
			if err != nil {
				return err
			}
			defer f.Close()
			return unix.Setns(int(f.Fd()), 0)
		}},
		{"kernel/clone-user", func() error { return born("true", unix.CLONE_NEWUSER) }},
		{"kernel/clone3", refusedCall(unix.SYS_CLONE3, 0, 0)},
		{"kernel/fsopen", call(unix.SYS_FSOPEN, ptr("tmpfs"), 0)},
		{"kernel/open-tree", call(unix.SYS_OPEN_TREE, ^uintptr(99), ptr("/"), unix.OPEN_TREE_CLONE)},
		{"kernel/move-mount", refusedCall(unix.SYS_MOVE_MOUNT, 0, 0, 0, 0, 0)},
		{"kernel/mount-setattr", refusedCall(unix.SYS_MOUNT_SETATTR, ^uintptr(99), ptr("/"), 0, 0, 0)},
		{"kernel/keyctl", call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(3), 0)},
		{"kernel/add-key", call(unix.SYS_ADD_KEY, ptr("user"), ptr("ua-probe"), ptr("x"), 1,
			^uintptr(2))},
		{"kernel/request-key", refusedCall(unix.SYS_REQUEST_KEY, ptr("user"), ptr("ua-probe"), 0, 0)},
		{"kernel/bpf", refusedCall(unix.SYS_BPF, 0, 0, 0)},
		{"kernel/perf", refusedCall(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0)},
		{"kernel/userfaultfd", call(unix.SYS_USERFAULTFD, 1)},
		{"kernel/io-uring", refusedCall(unix.SYS_IO_URING_SETUP, 1, 0)},
		{"kernel/fanotify", call(unix.SYS_FANOTIFY_INIT, 0, 0)},
		{"kernel/kexec", refusedCall(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0)},
		{"kernel/init-module", refusedCall(unix.SYS_INIT_MODULE, 0, 0, 0)},
		{"kernel/finit-module", refusedCall(unix.SYS_FINIT_MODULE, 0, 0, 0)},
		{"kernel/delete-module", refusedCall(unix.SYS_DELETE_MODULE, ptr("x"), 0)},
		{"kernel/reboot", refusedCall(unix.SYS_REBOOT, 0, 0, 0)},
		{"kernel/swapon", refusedCall(unix.SYS_SWAPON, ptr("/x"), 0)},
		{"kernel/sethostname", call(unix.SYS_SETHOSTNAME, ptr("x"), 1)},
		{"kernel/setdomainname", call(unix.SYS_SETDOMAINNAME, ptr("x"), 1)},
		{"kernel/settime", refusedCall(unix.SYS_SETTIMEOFDAY, 0, 0)},
		{"kernel/acct", refusedCall(unix.SYS_ACCT, ptr("/x"))},
		{"kernel/quotactl", refusedCall(unix.SYS_QUOTACTL, 0, 0, 0, 0)},
		{"kernel/syslog", call(unix.SYS_SYSLOG, 10, 0, 0)},
		{"kernel/vhangup", refusedCall(unix.SYS_VHANGUP)},
		{"kernel/kcmp", refusedCall(unix.SYS_KCMP, 0, 0, 0, 0, 0)},
		{"kernel/move-pages", refusedCall(unix.SYS_MOVE_PAGES, 1, 0, 0, 0, 0, 0)},
		{"kernel/group-nice", call(unix.SYS_SETPRIORITY, unix.PRIO_PGRP, 0, 7)},
		{"kernel/group-ioprio", call(unix.SYS_IOPRIO_SET, 2, 0, 3<<13)},
		{"kernel/lease", func() error {
			f, err := os.Open(at("out/file"))
			if err == nil {
				defer f.Close()
				_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
			}
			return err
		}},
		{"kernel/line-discipline", func() error {
			b := byte(27)
			return ioctl(0, unix.TIOCSETD, &b, unix.EPERM)
		}},
		{"kernel/x32", refusedCall(0x40000000 + unix.SYS_USERFAULTFD)},
		{"socket/raw", socket(unix.AF_INET, unix.SOCK_RAW, 1)},
		{"socket/packet", socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{"socket/raw6", socket(unix.AF_INET6, unix.SOCK_RAW, 58)},
		{"socket/netfilter", socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER)},
		{"socket/uevent", socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)},
		{"socket/vsock", socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
		{"socket/sctp", socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP)},
		{"socket/udplite", socket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE)},
		{"socket/alg", socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
		{"socket/bluetooth", socket(unix.AF_BLUETOOTH, unix.SOCK_RAW, 1)},
		{"socket/xdp", socket(44, unix.SOCK_RAW, 0)},
		{"rights/setuid", call(unix.SYS_SETUID, 12345)},
		{"rights/mode-chmod", sh("echo x >u; chmod u+s u")},
		{"rights/mode-install", sh("install -m 4755 /bin/true u2")},
		{"rights/mode-copy", sh("cp -p /usr/bin/passwd u3 && test -u u3")},
		{"rights/mode-open", func() error {
			fd, err := unix.Open("u4", unix.O_CREAT|unix.O_WRONLY, 0o4755)
			unix.Close(fd)
			return err
		}},
		{"rights/mode-unnamed", func() error {
			_, err := unix.Open(".", unix.O_TMPFILE|unix.O_WRONLY, 0o4755)
			return err
		}},
		{"rights/mode-openat2", func() error {
			_, err := unix.Openat2(unix.AT_FDCWD, "u5",
				&unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
			return err
		}},
		{"rights/mode-mknod", call(unix.SYS_MKNODAT, ^uintptr(99), ptr("u6"), unix.S_IFREG|0o4755, 0)},
		{"rights/capabilities", func() error {
			status, err := os.ReadFile("/proc/self/status")
			if err == nil && strings.Contains(string(status), "CapPrm:\t0000000000000000") &&
				strings.Contains(string(status), "NoNewPrivs:\t1") {
				err = errors.New("none")
			}
			return err
		}},
	}
}

// writeSame writes to a file of the kernel what it holds.
func writeSame(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0)
}

// ioctl succeeds unless the request is refused with the filter's own error.
func ioctl(fd int, request uintptr, arg *byte, filtered syscall.Errno) error {
	_, _, errno := unix.RawSyscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(arg)))
	if errno == filtered {
		return errno
	}
	return nil
}

func born(name string, flags uintptr) error {
	cmd := exec.Command(name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return cmd.Run()
}
