package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// daemons lists the usual places of sockets on which a program outside does work for
// whoever connects. Some belong to other network namespaces, which /proc/net/unix does
// not list.
const daemons = `/run/user /run/docker.sock /run/docker /run/podman /run/containerd /run/crio
/run/buildkit /run/dbus /run/systemd/private
/run/systemd/notify /run/systemd/journal /run/snapd.socket /run/snapd-snap.socket /run/libvirt
/run/lxd.socket /run/incus /run/cups
/run/avahi-daemon /run/acpid.socket /run/pcscd /run/nscd /run/udev/control
/var/lib/lxd/unix.socket /var/lib/incus/unix.socket
/var/run/docker.sock /run/gnupg /run/screen /run/tmux`

// socketVars lists variables that lead to a socket of the session. Through most of these
// a program outside does what it is told.
const socketVars = `XDG_RUNTIME_DIR SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS DOCKER_HOST ` +
	`PULSE_SERVER WAYLAND_DISPLAY TMUX STY GPG_AGENT_INFO
SWAYSOCK I3SOCK NIRI_SOCKET NVIM NVIM_LISTEN_ADDRESS VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE ` +
	`KITTY_LISTEN_ON
WEZTERM_UNIX_SOCKET ALACRITTY_SOCKET EMACS_SOCKET_NAME CONTAINER_HOST`

// unixTable lists the bound Unix sockets of this network namespace (proc(5),
// /proc/net/unix).
const unixTable = "/proc/net/unix"

// foreign returns the Unix sockets outside, and folders of such sockets, that exist. A
// socket that was bound by a relative name is also looked for in folders.
func foreign(folders []string) (paths []string) {
	paths = strings.Fields(daemons)
	for _, name := range strings.Fields(socketVars) {
		for _, part := range strings.FieldsFunc(os.Getenv(name),
			func(r rune) bool { return r == ',' || r == ';' }) {
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
		absolute, relative := bound(string(table))
		paths = append(append(paths, absolute...), placed(relative, folders)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// bound returns the absolute paths in the text of /proc/net/unix, and the relative ones.
// A path may contain spaces.
func bound(table string) (absolute, relative []string) {
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
		switch path := strings.TrimLeft(rest, " "); {
		case strings.HasPrefix(path, "/"):
			absolute = append(absolute, path)
		case path != "" && path[0] != '@' && path != "Path":
			relative = append(relative, path)
		}
	}
	return absolute, relative
}

// placed returns the sockets with relative names that lie below the working folders of
// processes, or below folders. Few programs leave the folder in which they bind. The
// kernel does not show the processes of other users.
func placed(relative, folders []string) (paths []string) {
	if len(relative) == 0 {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	dirs := map[string]bool{}
	for _, dir := range folders {
		dirs[dir] = true
	}
	// Only processes of this user show where they are.
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil {
			dirs[dir] = true
		}
	}
	for dir := range dirs {
		for _, name := range relative {
			path := filepath.Join(dir, name)
			if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
