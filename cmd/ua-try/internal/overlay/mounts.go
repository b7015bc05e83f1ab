//go:build linux

// Package overlay shows a command copy-on-write views of folders. They are overlays (the
// kernel's overlayfs.rst) in a mount namespace, and in a user namespace where the user is
// not root.
package overlay

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"ua/internal/common/confine"
)

// A Mount is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type Mount struct {
	Path string // where it is
	Kind string // the file system's type
}

// kernel are the types of file systems that hold nobody's files. Writing there speaks to
// the kernel, so a view leaves them as they are.
var kernel = []string{
	"autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "devtmpfs",
	"efivarfs",
	"fusectl", "mqueue", "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs",
	"tracefs",
}

// OfKernel reports whether the mount holds nobody's files.
func (m Mount) OfKernel() bool { return slices.Contains(kernel, m.Kind) }

// Below returns the mounts below a folder, each path once, outer ones first.
func Below(dir string) ([]Mount, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	return below(string(text), dir), nil
}

// below picks the mounts below a folder from the text of mountinfo.
func below(mountinfo, dir string) (list []Mount) {
	prefix := strings.TrimSuffix(dir, "/") + "/"
	for line := range strings.Lines(mountinfo) {
		m, ok := parse(line)
		if !ok || !strings.HasPrefix(m.Path, prefix) || m.Path == dir {
			continue
		}
		at := slices.IndexFunc(list, func(o Mount) bool { return o.Path == m.Path })
		if at < 0 {
			list = append(list, m)
		} else {
			list[at] = m // mounted over the one before
		}
	}
	slices.SortFunc(list, func(a, b Mount) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// parse reads a line of mountinfo: numbers, the root, the mount point as the fifth field,
// options, and after " - " the type.
func parse(line string) (Mount, bool) {
	head, tail, ok := strings.Cut(line, " - ")
	fields, rest := strings.Fields(head), strings.Fields(tail)
	if !ok || len(fields) < 5 || len(rest) < 1 {
		return Mount{}, false
	}
	return Mount{Path: escapes.Replace(fields[4]), Kind: rest[0]}, true
}

// escapes are the kernel's for what would end a field (mangle_path in fs/seq_file.c).
var escapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`,
	`\043`, "#")

// Plan returns what has to be mounted to cover folders. covers are the folders and the
// mounts below them, outer ones first. asis are the kernel's file systems among those
// mounts. A mount that cannot be covered is an error that names it.
func Plan(dirs []string) (covers, asis []string, err error) {
	slices.Sort(dirs)
	for _, dir := range dirs {
		if !slices.ContainsFunc(covers, func(outer string) bool {
			return confine.Under(dir,
				outer)
		}) {
			covers = append(covers, dir)
		}
	}
	for _, dir := range slices.Clone(covers) {
		mounts, err := Below(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range mounts {
			info, err := os.Stat(m.Path)
			switch {
			case err != nil:
				continue // nobody reaches it
			case m.OfKernel():
				asis = append(asis, m.Path)
			case !info.IsDir():
				return nil, nil, fmt.Errorf("%s: a file that is a mount of its own can't be covered", m.Path)
			default:
				covers = append(covers, m.Path)
			}
		}
	}
	slices.Sort(covers)
	return slices.Compact(covers), asis, nil
}
