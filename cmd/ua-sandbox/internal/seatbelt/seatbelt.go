// Package seatbelt writes a policy as a profile for macOS's sandbox-exec(1). It compiles
// on every system, so that its output is tested on all of them.
package seatbelt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/internal/common/confine"
	"ua/internal/common/verdict"
)

// services lists the Mach services that a command line program needs: the user database,
// logging, preferences and notifications. Apple events, launch services, the pasteboard
// and the keychain are left out, because each makes another program act.
var services = []string{
	"com.apple.system.opendirectoryd.libinfo", "com.apple.system.opendirectoryd.membership",
	"com.apple.logd", "com.apple.diagnosticd",
	"com.apple.cfprefsd.daemon", "com.apple.cfprefsd.agent", "com.apple.system.notification_center",
	"com.apple.bsd.dirhelper",
}

// trust verifies TLS certificates for programs that use the system's verifier, as Go
// programs do.
const trust = "com.apple.trustd.agent"

// A Profile is the text for sandbox-exec -p and the values for its -D. Paths are
// parameters, so that no path can end a string or begin a rule.
type Profile struct {
	Text   string
	Params []string // NAME=VALUE
}

// Generate returns the profile for a policy. tmp is the private folder that TMPDIR names,
// and port the proxy's port on the machine's loopback, 0 without a proxy.
func Generate(p *access.Policy, tmp string, port int) Profile {
	g := &generator{}
	g.line("(version 1)")
	if p.Profile == verdict.ProfileNone {
		g.line("(allow default)")
		g.protected(p)
	} else {
		g.line("(deny default)")
		g.base(p.Network == access.NetProxy)
		g.files(p, tmp)
		g.network(p, tmp, port)
	}
	g.hidden(p)
	return Profile{g.b.String(), g.params}
}

// A generator collects the rules and their parameters.
type generator struct {
	b      strings.Builder
	params []string
}

// line adds a rule.
func (g *generator) line(format string, a ...any) {
	fmt.Fprintf(&g.b, format, a...)
	g.b.WriteByte('\n')
}

// param returns the expression for a path, with one parameter for each path.
func (g *generator) param(path string) string {
	name := fmt.Sprintf("P%d", len(g.params))
	if i := slices.IndexFunc(g.params, func(p string) bool {
		_, v,
			_ := strings.Cut(p, "=")
		return v == path
	}); i >= 0 {
		name, _, _ = strings.Cut(g.params[i], "=")
	} else {
		g.params = append(g.params, name+"="+path)
	}
	return fmt.Sprintf("(param %q)", name)
}

// base lets a program run: processes among each other, the terminal, and reading
// everything.
func (g *generator) base(network bool) {
	g.line("(allow process-exec process-fork)")
	g.line("(allow signal process-info* (target same-sandbox))")
	g.line("(allow sysctl-read user-preference-read)")
	g.line("(allow ipc-posix-sem ipc-posix-shm)")
	g.line("(allow system-socket (socket-domain AF_UNIX) (socket-domain AF_SYSTEM))")
	list := services
	if network {
		list = append(slices.Clone(list), trust)
	}
	for _, s := range list {
		g.line("(allow mach-lookup (global-name %q))", s)
	}
	g.line("(allow pseudo-tty)")
	g.line(`(allow file-read* file-write* file-ioctl (literal "/dev/ptmx") (literal "/dev/tty") ` +
		`(regex #"^/dev/ttys[0-9]+$"))`)
	g.line(`(allow file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") ` +
		`(literal "/dev/random") (literal "/dev/urandom") (regex #"^/dev/fd/[0-9]+$"))`)
	g.line("(allow file-read*)")
}

// files makes folders writable, except the protected parts.
func (g *generator) files(p *access.Policy, tmp string) {
	for _, path := range append(slices.Clone(p.Write), tmp) {
		if path != "" {
			g.line("(allow file-write* (subpath %s))", g.param(path))
		}
	}
	g.protected(p)
}

// protected forbids writing to the protected paths.
func (g *generator) protected(p *access.Policy) {
	for _, home := range p.Tops { // what is hidden there, existing or not
		g.line(`(deny file-write* (regex (string-append "^" (regex-quote %s) "/[.]")))`,
			g.param(home))
		for _, path := range append(slices.Clone(p.Grants), filepath.Join(home, ".git")) {
			if path != home && confine.Under(path, home) {
				g.line("(allow file-write* (subpath %s))", g.param(path))
			}
		}
	}
	for _, path := range p.Protect {
		g.line("(deny file-write* (literal %[1]s) (subpath %[1]s))", g.param(path))
		g.pin(path, p)
	}
}

// network allows Unix sockets in the sandbox's own folders, and the proxy. There is no
// loopback for the sandbox alone here, and only bound ports of this machine can be told
// apart. Therefore only the proxy may be connected to.
func (g *generator) network(p *access.Policy, tmp string, port int) {
	for _, path := range append(slices.Clone(p.Write), tmp) {
		if path != "" {
			g.line("(allow network-bind network-inbound (local unix-socket (subpath %s)))",
				g.param(path))
			g.line("(allow network-outbound (remote unix-socket (subpath %s)))", g.param(path))
		}
	}
	for _, path := range p.Sockets {
		g.line("(allow network-outbound (remote unix-socket (literal %s)))", g.param(path))
	}
	if p.Network == access.NetProxy && port != 0 {
		g.line(`(allow network-outbound (remote ip "localhost:%d"))`, port)
	}
}

// hidden forbids access to the secrets. It comes last, since the last matching rule wins.
// Folders above a secret cannot be moved, because that would move the secret to another
// path.
func (g *generator) hidden(p *access.Policy) {
	for _, m := range p.Masks {
		if m.Socket {
			g.line("(deny network-outbound (remote unix-socket (subpath %s)))", g.param(m.Path))
			continue
		}
		g.line("(deny file-read* file-write* (literal %[1]s) (subpath %[1]s))", g.param(m.Path))
		g.pin(m.Path, p)
	}
	for _, path := range slices.Concat(p.Read, p.Write) {
		if slices.ContainsFunc(p.Masks, func(m access.Mask) bool {
			return path != m.Path &&
				confine.Under(path, m.Path)
		}) {
			g.line("(allow file-read* (subpath %s))", g.param(path))
		}
	}
	g.line("(allow file-read-metadata (vnode-type DIRECTORY))")
}

// pin keeps a path in place, and the writable folders above it.
func (g *generator) pin(path string, p *access.Policy) {
	for at := path; at != "/" && (at == path || p.Writable(at)); at = filepath.Dir(at) {
		g.line("(deny file-write-unlink file-write-create (literal %s))", g.param(at))
	}
}
