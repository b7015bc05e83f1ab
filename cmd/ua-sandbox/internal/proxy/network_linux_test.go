package proxy

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// envOwnNetwork is set in the process that runs the tests in a network of its own.
const envOwnNetwork = "UA_PROXY_OWN_NETWORK"

// inOwnNetwork runs this program again in a new network namespace, where 93.184.216.34 and
// 192.0.2.2 lead back to it, and 192.0.2.1 is silent. ok is false in that process, and
// where no namespace can be made.
func inOwnNetwork() (status int, ok bool) {
	if os.Getenv(envOwnNetwork) != "" || exec.Command("unshare", "-Urn", "ip", "link").Run() != nil {
		return 0, false
	}
	script := `ip link set lo up &&
ip route add local 93.184.216.34 dev lo && ip route add local 192.0.2.2 dev lo &&
ip route add 192.0.2.1 dev lo && exec "$0" "$@"`
	cmd := exec.Command("unshare", append([]string{"-Urn", "sh", "-c", script, os.Args[0]},
		os.Args[1:]...)...)
	cmd.Env = append(os.Environ(), envOwnNetwork+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	if e := new(exec.ExitError); errors.As(err, &e) {
		return e.ExitCode(), true
	}
	return 0, err == nil
}
