//go:build linux

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
)

// The variables by which the ua-record inside the sandbox knows the socket to the one outside,
// and the folder of --home.
const (
	envSocket = "UA_RECORD_FD"
	envHome   = "UA_RECORD_HOME"
)

// inside makes the socket of the gateway in the sandbox's own network, hands it out, and
// becomes the agent once somebody answers there. The agent gets no key: whoever can reach the
// socket may ask.
func inside(fd string, command []string) error {
	n, _ := strconv.Atoi(fd) // what is no socket takes no message
	l, err := net.Listen("tcp", address)
	if err != nil {
		return prog.Errorf(prog.NotConfined, "this sandbox has no network of its own: %v", err)
	}
	socket, err := l.(*net.TCPListener).File()
	if err == nil {
		err = unix.Sendmsg(n, []byte{0}, unix.UnixRights(int(socket.Fd())), nil, 0)
	}
	if err != nil {
		return prog.Errorf(prog.NotConfined, "%v", err)
	}
	var ready [1]byte
	if got, _ := unix.Read(n, ready[:]); got != 1 {
		return prog.Exit(prog.NotConfined) // the one outside says why
	}
	unix.Close(n)
	if err := agentHome(); err != nil {
		return prog.Errorf(prog.NotConfined, "%v", err)
	}
	for _, api := range []string{"ANTHROPIC", "OPENAI", "CODEX"} {
		os.Setenv(api+"_API_KEY", "none-is-needed")
	}
	os.Setenv("ANTHROPIC_BASE_URL", "http://"+address)
	os.Setenv("OPENAI_BASE_URL", "http://"+address+"/v1")
	os.Setenv("IS_SANDBOX", "1") // by which claude knows that root is not the machine's
	path, err := exec.LookPath(command[0])
	if err == nil {
		err = syscall.Exec(path, command, os.Environ())
	}
	return execwrap.StartError(command[0], err)
}

// agentHome gives the agent its home: that of --home, or a new one that ends with TMPDIR. Of
// the user's it has git's settings, which say who commits.
func agentHome() error {
	git := filepath.Join(os.Getenv("HOME"), ".gitconfig")
	if _, err := os.Stat(git); err == nil && os.Getenv("GIT_CONFIG_GLOBAL") == "" {
		os.Setenv("GIT_CONFIG_GLOBAL", git)
	}
	home := os.Getenv(envHome)
	if home == "" {
		home = filepath.Join(os.TempDir(), "home")
		if err := os.Mkdir(home, 0o700); err != nil {
			return err
		}
	}
	for _, name := range []string{envSocket, envHome, "XDG_CONFIG_HOME", "XDG_DATA_HOME",
		"XDG_STATE_HOME"} {
		os.Unsetenv(name)
	}
	return os.Setenv("HOME", home)
}
