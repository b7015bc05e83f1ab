package layer

import (
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine/policy"
	"ua/internal/common/verdict"
)

// nodes are the devices that every program may use.
var nodes = []string{"null", "zero", "full", "random", "urandom", "tty"}

// Files are the rules for a policy's files. own says that /dev and /proc are a
// sandbox's own. Nothing but Landlock keeps masks from being read: beside them
// reading is allowed folder by folder, since Landlock has no rule that takes a
// right away. What the command gets as its standard descriptors is not among
// them: see Handed.
func Files(p *policy.Policy, tmp []string, own bool, masks ...policy.Mask) []Rule {
	reading := readable("/", masks)
	if p.Profile == verdict.ProfileNone {
		// The layer only keeps mounts as they are, and other processes from being traced.
		return append(reading, Rule{Path: "/", Rights: ^uint64(Read)})
	}
	rules := append(reading, Rule{Path: "/", Rights: Look})
	whole := uint64(Write | Build | Connect)
	for _, path := range p.Write {
		frozen := p.Frozen
		if own {
			frozen = nil // mounts keep them
		}
		rules = append(rules, writable(path, frozen, whole)...)
	}
	for _, path := range append(slices.Clone(tmp), "/dev/shm") {
		if path != "" {
			rules = append(rules, Rule{Path: path, Rights: whole})
		}
	}
	for _, path := range p.Sockets {
		rules = append(rules, Rule{Path: path, Rights: Connect})
	}
	for _, name := range nodes {
		rules = append(rules, Rule{Path: "/dev/" + name, Rights: Read | Write | Device})
	}
	rules = append(rules, Rule{Path: "/dev/shm", Rights: Read})
	if own {
		// The kernel opens a queue by a mount of its own, which no other rule reaches.
		rules = append(rules, Rule{Path: "/dev/mqueue", Rights: whole | Read},
			Rule{Path: "/dev/pts", Rights: Write | Device}, Rule{Path: "/dev/ptmx", Rights: Write | Device})
		if p.Profile != verdict.ProfileReadOnly {
			rules = append(rules, Rule{Path: "/proc", Rights: Write})
		}
	}
	return rules
}

// writable are rules that let dir be written but for what is frozen. A right on a
// folder holds for all below it, so the folders above a frozen path take no new
// entries.
func writable(dir string, frozen []string, rights uint64) (rules []Rule) {
	inside := slices.DeleteFunc(slices.Clone(frozen), func(path string) bool { return !policy.Under(path, dir) })
	if len(inside) == 0 {
		return []Rule{{Path: dir, Rights: rights, Plain: true}}
	}
	if slices.Contains(inside, dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			rules = append(rules, writable(filepath.Join(dir, e.Name()), inside, rights)...)
		}
	}
	return rules
}

// Secrets are the masks that keep something from being read. Landlock has a
// right of its own for sockets.
func Secrets(p *policy.Policy) []policy.Mask {
	return slices.DeleteFunc(slices.Clone(p.Masks), func(m policy.Mask) bool { return m.Socket })
}

// Handed are rules for what the caller gave as standard input and output, so
// that opening /dev/stderr works for a file of the outside, too. A terminal is
// the command's only when it is standard input.
func Handed() (rules []Rule) {
	var terminal uint64
	for fd := range 3 {
		var stat unix.Stat_t
		mode, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil || unix.Fstat(fd, &stat) != nil || stat.Mode&unix.S_IFMT == unix.S_IFDIR || stat.Nlink == 0 {
			continue
		}
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
			if fd == 0 {
				terminal = stat.Rdev
			}
			if stat.Rdev != terminal {
				continue
			}
		}
		rights := uint64(Device)
		if mode&unix.O_ACCMODE != unix.O_WRONLY {
			rights |= Read
		}
		if mode&unix.O_ACCMODE != unix.O_RDONLY {
			rights |= Write
		}
		if kind := stat.Mode & unix.S_IFMT; kind == unix.S_IFREG || kind == unix.S_IFCHR {
			rules = append(rules, Rule{Fd: fd, Rights: rights})
		}
	}
	return rules
}

// readable are rules for all that lies in dir but the masks.
func readable(dir string, masks []policy.Mask) (rules []Rule) {
	inside := slices.DeleteFunc(slices.Clone(masks), func(m policy.Mask) bool { return !policy.Under(m.Path, dir) })
	if len(inside) == 0 {
		return []Rule{{Path: dir, Rights: Read}}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(inside, func(m policy.Mask) bool { return m.Path == dir }) {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch masked := slices.ContainsFunc(inside, func(m policy.Mask) bool { return policy.Under(m.Path, path) }); {
		case masked && e.IsDir():
			rules = append(rules, readable(path, inside)...)
		case !masked && e.Type()&os.ModeSymlink == 0:
			rules = append(rules, Rule{Path: path, Rights: Read})
		}
	}
	return rules
}
