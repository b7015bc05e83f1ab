package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// missingPrefix begins the result of an attempt whose program is not installed.
const missingPrefix = "missing: "

// allowed are the things that must work. One whose program is not installed says so, and
// its test is skipped.
func allowed() []attempt {
	list := []attempt{
		{"file/read-usr", sh("cat /usr/bin/env >/dev/null && ls / /usr /etc >/dev/null")},
		{"file/read-out", sh(`cat ../out/file`)},
		{"file/read-home", sh("cat ~/.profile")},
		{"file/create", sh("echo x >new && cat new && rm new")},
		{"file/mkdir", sh("mkdir -p a/b && mv a c && rm -r c")},
		{"file/rename-across", sh("mkdir p q; echo x >p/f; mv p/f q/f && rm -r p q")},
		{"file/rename-dir-across", sh("mkdir -p p/d q; mv p/d q/d && rm -r p q")},
		{"file/tmp-to-cwd", sh(`t=$(mktemp) && echo x >"$t" && mv "$t" moved && rm moved`)},
		{"file/link", sh("echo x >l1; ln l1 l2 && ln -s l1 l3 && rm l1 l2 l3")},
		{"file/link-across", sh("mkdir p; echo x >l1; ln l1 p/l2 && rm -r l1 p")},
		{"file/chmod", sh("echo x >m; chmod 755 m && touch -d 2001-01-01 m && rm m")},
		{"file/group-folder", sh("mkdir -m 2775 gf && mkdir gf/x && rm -r gf")},
		{"file/fifo", sh("mkfifo ff && (echo x >ff & cat ff >/dev/null) && rm ff")},
		{"file/exec", sh("printf '#!/bin/sh\\nexit 0\\n' >e; chmod +x e && ./e && rm e")},
		{"file/truncate", sh("echo xyz >t; truncate -s 1 t && rm t")},
		{"file/sparse", sh("truncate -s 1M t && rm t")},
		{"tmp/mktemp", sh(`d=$(mktemp -d) && echo x >"$d/f" && rm -r "$d"`)},
		{"tmp/exec", sh(`printf '#!/bin/sh\nexit 0\n' >"$TMPDIR/e"
			chmod +x "$TMPDIR/e" && "$TMPDIR/e"`)},
		{"tmp/exists", sh(`test -d "$TMPDIR" -a -w "$TMPDIR"`)},
		{"dev/null", sh("echo x >/dev/null; head -c1 /dev/zero /dev/urandom /dev/random >/dev/null")},
		{"dev/full", sh("! echo x >/dev/full 2>/dev/null")},
		{"dev/stdout", sh("echo x >/dev/stdout; echo x >/dev/stderr")},
		{"dev/fd", sh("test -e /dev/fd/0 && test -e /dev/stdin")},
		{"dev/shm", func() error {
			path := fmt.Sprintf("/dev/shm/ua-own-%d", os.Getuid())
			err := write(path)
			os.Remove(path)
			return err
		}},
		{"dev/pty", func() error {
			f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
			if err == nil {
				err = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0)
			}
			if err != nil {
				return err
			}
			slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
			slave.Close()
			return err
		}},
		{"proc/self", sh("cat /proc/self/status /proc/self/maps " +
			"/proc/cpuinfo /proc/meminfo >/dev/null")},
		{"proc/own-environ", func() error { _, err := os.ReadFile("/proc/self/environ"); return err }},
		{"proc/kill-own", sh("sleep 100 & kill $!")},
		{"proc/group", sh("setsid true")},
		{"proc/nice", sh("nice -n 5 true")},
		{"proc/ulimit", sh("ulimit -n 64")},
		{"proc/ptrace-own", func() error {
			runtime.LockOSThread()
			pid, err := syscall.ForkExec("/bin/true", []string{"true"},
				&syscall.ProcAttr{Sys: &syscall.SysProcAttr{Ptrace: true}})
			if err == nil {
				_, err = unix.Wait4(pid, nil, 0, nil)
			}
			if err == nil {
				err = unix.PtraceDetach(pid)
			}
			return err
		}},
		{"proc/ps", sh("ps ax >/dev/null")},
		{"ipc/socketpair", func() error {
			_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			return err
		}},
		{"ipc/own-unix", func() error {
			path := filepath.Join(os.Getenv("TMPDIR"), "s")
			l, err := net.Listen("unix", path)
			if err != nil {
				return err
			}
			defer l.Close()
			return dial("unix", path)()
		}},
		{"ipc/own-abstract", func() error {
			l, err := net.Listen("unix", "@ua-own-abstract")
			if err != nil {
				return err
			}
			defer l.Close()
			return dial("unix", "@ua-own-abstract")()
		}},
		{"ipc/own-tcp", func() error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			defer l.Close()
			return dial("tcp", l.Addr().String())()
		}},
		{"ipc/own-tcp6", func() error {
			l, err := net.Listen("tcp", "[::1]:0")
			if err != nil {
				return err
			}
			defer l.Close()
			return dial("tcp", l.Addr().String())()
		}},
		{"ipc/own-udp", func() error {
			c, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			defer c.Close()
			return dial("udp", c.LocalAddr().String())()
		}},
		{"ipc/interfaces", func() error { _, err := net.InterfaceAddrs(); return err }},
		{"ipc/own-queue", func() error {
			name := ptr("ua-probe")
			fd, _, errno := unix.RawSyscall6(unix.SYS_MQ_OPEN, name, unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0,
				0)
			if errno != 0 {
				return errno
			}
			unix.Close(int(fd))
			return call(unix.SYS_MQ_UNLINK, name)()
		}},
		{"ipc/own-shm", func() error {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
			if err == nil {
				_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
			}
			return err
		}},
		{"ipc/memfd", func() error { _, err := unix.MemfdCreate("x", 0); return err }},
		{"ipc/inotify", func() error { _, err := unix.InotifyInit(); return err }},
		{"ipc/eventfd", func() error { _, err := unix.Eventfd(0, 0); return err }},
		{"time/sleep", func() error { time.Sleep(time.Millisecond); return nil }},
		{"env/passed", sh(`test "$LANG" = C.UTF-8 -a -n "$HOME" -a -n "$PATH"`)},
		{"env/large", sh(`test ${#UA_PROBE_LARGE} -eq 100000`)},
		{"env/cwd", sh(`test "$(basename "$(pwd)")" = work`)},
		{"fd/kept", func() error { _, err := unix.FcntlInt(8, unix.F_GETFD, 0); return err }},
	}
	for _, p := range []struct{ name, needs, line string }{
		{"git/commit", "git",
			"git -C repo add -A && git -C repo commit -qm x --allow-empty && git -C repo status --short"},
		{"tool/gcc", "gcc", "echo 'int main(){return 0;}' >a.c && gcc -o a.out a.c && ./a.out && rm " +
			"a.c a.out"},
		{"tool/go", "go", "mkdir g && cd g && echo 'module g' >go.mod && echo 'package g' >m.go && go " +
			"list . && cd .. && rm -r g"},
		{"tool/make", "make", "printf 'x:\\n\\ttrue\\n' >Makefile && make -s x && rm Makefile"},
		{"tool/python-mp", "python3",
			`python3 -c 'import multiprocessing as m
l=m.Lock(); q=m.Queue(); q.put(1); assert q.get()==1'`},
		{"tool/python-tmp", "python3",
			`python3 -c 'import tempfile; tempfile.NamedTemporaryFile().write(b"x")'`},
		{"tool/node-exec", "node", `node -e 'require("child_process").execFileSync("true")'`},
		{"tool/node-net", "node",
			`node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>s.close())'`},
		{"tool/tar", "tar", "mkdir tt; echo x >tt/f; tar cf t.tar tt && tar xf t.tar && rm -r tt t.tar"},
		{"tool/flock", "flock", "flock lockfile true; rm lockfile"},
		{"tool/strace", "strace", "strace -o /dev/null true"},
		{"tool/script", "script", "script -qc true /dev/null >/dev/null </dev/null"},
	} {
		try := sh(p.line)
		if _, err := exec.LookPath(p.needs); err != nil {
			try = func() error { return errors.New(missingPrefix + p.needs) }
		}
		list = append(list, attempt{p.name, try})
	}
	return list
}
