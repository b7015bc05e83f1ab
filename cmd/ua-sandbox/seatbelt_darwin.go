package main

import (
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/cmd/ua-sandbox/internal/seatbelt"
	"ua/cmd/ua-sandbox/internal/ulimit"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
	uarun "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// sandboxExec is an absolute path, because PATH is the caller's.
const sandboxExec = "/usr/bin/sandbox-exec"

// stage returns nil: this system needs no stages.
func stage(string) func(*prog.Env) error { return nil }

// runConfined runs the command under a Seatbelt profile. Seatbelt does not nest: inside
// one of our sandboxes the outer profile applies, and nothing narrower is possible.
func runConfined(env *prog.Env, o *options, command []string) error {
	if o.Strict && os.Geteuid() == 0 && !o.RootOK {
		return prog.Errorf(prog.NotConfined,
			"--strict does not run as root").Hintf("run as a user, or give --root-ok")
	}
	if err := ulimit.Lower(o.ulimits); err != nil {
		return prog.Errorf(prog.NotConfined, "--ulimit: %w", err)
	}
	if os.Getenv(uarun.EnvSandbox) != "" {
		return within(o, command)
	}
	p, err := resolve(o)
	if err != nil {
		return err
	}
	tmp, err := privateTmp(p)
	if err != nil {
		return prog.Errorf(prog.NotConfined, "private tmp: %w", err)
	}
	if p.Tmp.Dir == "" {
		defer os.RemoveAll(tmp)
	}
	environ := access.Setenv(p.TmpEnv(passed(env, o), tmp), uarun.EnvSandbox, "2")
	port := 0
	if p.Network == access.NetProxy {
		log, err := openLog(p, o)
		if err != nil {
			return err
		}
		server, err := newServer(p, o, log)
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return prog.Errorf(prog.NotConfined, "listener: %w", err)
		}
		go server.Serve(l)
		defer server.Close()
		port = l.Addr().(*net.TCPAddr).Port
		for _, kv := range proxy.Env(l.Addr().String(), server.Secret, p.Allow...) {
			name, value, _ := strings.Cut(kv, "=")
			environ = access.Setenv(environ, name, value)
		}
	}
	if err := ulimit.Lower(ulimit.Of(p.Limits)); err != nil {
		return prog.Errorf(prog.NotConfined, "limits: %w", err)
	}
	return start(seatbelt.Generate(p, tmp, port), command, environ, o.fds)
}

// within becomes the command under the outer sandbox's profile alone.
func within(o *options, command []string) error {
	if o.Strict {
		return prog.Errorf(prog.NotConfined, "this system can't narrow a sandbox from inside")
	}
	path, err := lookup(command[0], os.Environ())
	if err != nil {
		return err
	}
	return execwrap.StartError(command[0], syscall.Exec(path, command, os.Environ()))
}

// start runs the command under the profile, and ends with its status.
func start(profile seatbelt.Profile, command, environ []string, fds []int) error {
	args := []string{"-p", profile.Text}
	for _, param := range profile.Params {
		args = append(args, "-D", param)
	}
	cmd := exec.Command(sandboxExec, append(append(args, "--"), command...)...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environ, os.Stdin, os.Stdout, os.Stderr
	for _, fd := range fds {
		for len(cmd.ExtraFiles) < fd-2 {
			cmd.ExtraFiles = append(cmd.ExtraFiles, nil)
		}
		cmd.ExtraFiles[fd-3] = os.NewFile(uintptr(fd), "kept")
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGHUP, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGINT,
		unix.SIGQUIT)
	if err := cmd.Start(); err != nil {
		return prog.Errorf(prog.NotConfined, "the sandbox can't be set up: %w", err)
	}
	go func() {
		for s := range signals {
			// The terminal's keys reach the command by themselves.
			if s != unix.SIGINT && s != unix.SIGQUIT {
				_ = cmd.Process.Signal(s)
			}
		}
	}()
	_ = cmd.Wait()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return prog.Exit(128 + int(status.Signal()))
	}
	if status.ExitStatus() != 0 {
		return prog.Exit(status.ExitStatus())
	}
	return nil
}

// privateTmp makes the folder for TMPDIR, and returns its path without symbolic links,
// because Seatbelt compares such paths.
func privateTmp(p *access.Policy) (string, error) {
	switch {
	case p.Tmp.Dir != "":
		return p.Tmp.Dir, os.MkdirAll(p.Tmp.Dir, 0o700)
	case p.Profile == verdict.ProfileNone:
		return "", nil
	}
	base, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(base, "ua-sandbox-")
}

// probe reports whether sandbox-exec works here, by trying it.
func probe(env *prog.Env, _ bool) error {
	p := seatbelt.Generate(&access.Policy{Profile: verdict.ProfileReadOnly, Network: access.NetOwn},
		"", 0)
	out, err := exec.Command(sandboxExec, "-p", p.Text, "--", "/usr/bin/true").CombinedOutput()
	word := "yes"
	if err != nil {
		word = "no " + string(out)
	}
	env.Stdout.WriteString("seatbelt " + word + "\n")
	return nil
}

// lastLooks does nothing: Seatbelt also protects paths that do not exist.
func lastLooks(*prog.Env, *options) error { return nil }
