package initprocess

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/control"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/plan"
	"ua/cmd/ua-sandbox/internal/proxy"
	"ua/internal/common/remove"
	"ua/internal/common/safefile"
)

// build makes the view and the network, and sends the proxy's listeners out. It returns
// the environment of the command.
func build(ctl control.Socket, pl *plan.Plan, environ []string) ([]string, error) {
	if !pl.Check {
		if err := layer.Stays(pl.Dir); err != nil {
			return nil, err
		}
	}
	// Orphans come here, so that the reaper sees them.
	if pl.Tier < 4 {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, err
		}
	}
	if pl.Tier < 3 {
		return environ, nil
	}
	if err := pl.View.Build(); err != nil {
		return nil, err
	}
	if err := unix.Chdir(pl.Dir); err != nil {
		return nil, err
	}
	environ = caches(pl, environ)
	if pl.Network == access.NetHost {
		return environ, nil
	}
	if err := layer.LoopbackUp(); err != nil || pl.Network == access.NetOwn {
		return environ, err
	}
	addr, err := listen(ctl, pl.Capture)
	if err != nil {
		return nil, err
	}
	return set(environ, proxy.Env(addr, pl.Secret, pl.Allow...)), nil
}

// listen makes the proxy's sockets in this network namespace and sends them to the
// parent, which serves them from outside. It returns the address of the proxy.
func listen(ctl control.Socket, capture bool) (string, error) {
	local, anyone := [4]byte{127, 0, 0, 1}, [4]byte{}
	// The order is that in which the parent serves them (parent.serve).
	fd, port, err := layer.Listen(unix.SOCK_STREAM, local, 0)
	if err != nil {
		return "", err
	}
	fds := []int{fd}
	if capture {
		for _, s := range []struct {
			kind, port int
			addr       [4]byte
		}{{unix.SOCK_DGRAM, 53, local}, {unix.SOCK_STREAM, 80, anyone},
			{unix.SOCK_STREAM, 443, anyone}} {
			fd, _, err := layer.Listen(s.kind, s.addr, s.port)
			if err != nil {
				return "", err
			}
			fds = append(fds, fd)
		}
	}
	if err := ctl.Tell(control.Report{Port: port}, fds...); err != nil {
		return "", err
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	return "127.0.0.1:" + strconv.Itoa(port), nil
}

// caches makes the caches that are read through, and points environ at those that could
// be made. The others stay where they are, where they are read-only.
func caches(pl *plan.Plan, environ []string) []string {
	for _, c := range pl.Caches {
		var err error
		for _, o := range c.Overlays {
			err = errors.Join(err, layer.Overlay{Lower: o[0], At: o[1]}.Mount())
		}
		for _, l := range c.Links {
			if _, missing := os.Lstat(l[0]); missing == nil {
				err = errors.Join(err, os.MkdirAll(filepath.Dir(l[1]), 0o755),
					os.Symlink(l[0], l[1]))
			}
		}
		for _, f := range c.Copies {
			// A file that cannot be read is left out: the tool then starts without it.
			if text, unread := safefile.Read(f[0], access.MaxCopy); unread == nil {
				err = errors.Join(err, os.MkdirAll(filepath.Dir(f[1]), 0o755),
					os.WriteFile(f[1], text, 0o644))
			}
		}
		if err == nil {
			environ = access.Setenv(environ, c.Name, c.Value)
		}
	}
	return environ
}

// set returns environ with the variables of list, NAME=VALUE, replacing its own.
func set(environ, list []string) []string {
	for _, kv := range list {
		name, value, _ := strings.Cut(kv, "=")
		environ = access.Setenv(environ, name, value)
	}
	return environ
}

// cleanUp removes the private tmp if the parent, which should have done so, was killed.
func cleanUp(pl *plan.Plan) {
	for _, c := range pl.Caches {
		for _, o := range c.Overlays {
			_ = unix.Unmount(o[1], unix.MNT_DETACH) // what is mounted on can't be removed
		}
	}
	dir := pl.TmpDir
	if pl.Tier >= 3 {
		dir = pl.View.TmpOutside()
	}
	if dir != "" {
		_ = remove.All(dir)
	}
}
