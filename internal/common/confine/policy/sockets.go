package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// daemons are the usual places of sockets through which a program of the
// outside does work for who connects; some are made in other network
// namespaces, which /proc/net/unix does not list.
const daemons = `/run/user /run/docker.sock /run/docker /run/podman /run/containerd /run/crio /run/buildkit /run/dbus /run/systemd/private
/run/systemd/notify /run/systemd/journal /run/snapd.socket /run/snapd-snap.socket /run/libvirt /run/lxd.socket /run/incus /run/cups
/run/avahi-daemon /run/acpid.socket /run/pcscd /run/nscd /run/udev/control /var/lib/lxd/unix.socket /var/lib/incus/unix.socket
/var/run/docker.sock /run/gnupg /run/screen /run/tmux`

// socketVars are variables that lead to a socket of the session's.
const socketVars = `XDG_RUNTIME_DIR SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS DOCKER_HOST PULSE_SERVER WAYLAND_DISPLAY TMUX STY GPG_AGENT_INFO`

// unixTable lists the bound Unix sockets of this network namespace.
const unixTable = "/proc/net/unix"

// foreign are the Unix sockets of the outside, and folders of them, that exist.
func foreign() (paths []string) {
	paths = strings.Fields(daemons)
	for _, name := range strings.Fields(socketVars) {
		for _, part := range strings.FieldsFunc(os.Getenv(name), func(r rune) bool { return r == ',' || r == ';' }) {
			path := part
			for _, start := range []string{"unix:path=", "unix://", "unix:"} {
				path = strings.TrimPrefix(path, start)
			}
			if filepath.IsAbs(path) && path != "/" {
				paths = append(paths, filepath.Clean(path))
			}
		}
	}
	if table, err := os.ReadFile(unixTable); err == nil {
		paths = append(paths, bound(string(table))...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// bound are the absolute paths in the text of a /proc/net/unix. A path may hold
// spaces; one that was bound by a relative name can't be found again.
func bound(table string) (paths []string) {
	for _, row := range strings.Split(table, "\n") {
		rest := row
		for range 7 {
			rest = strings.TrimLeft(rest, " ")
			i := strings.IndexByte(rest, ' ')
			if i < 0 {
				rest = ""
				break
			}
			rest = rest[i:]
		}
		if path := strings.TrimLeft(rest, " "); strings.HasPrefix(path, "/") {
			paths = append(paths, path)
		}
	}
	return paths
}
