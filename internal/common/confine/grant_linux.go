package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/run"
)

// Inside returns the tier of the sandbox of ours around this process, or "". It is what
// UA_SANDBOX claims, if the process has the marks that each tier leaves. A false claim
// outside of a sandbox would leave the secrets unprotected.
func Inside() string {
	tier := os.Getenv(run.EnvSandbox)
	nnp, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	filter, err2 := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	if err != nil || err2 != nil || nnp != 1 || filter != 2 {
		return ""
	}
	return tier
}

// envGrants holds the paths that a program in a sandbox of ours may write besides those
// of its profile, one on each line. A wrong path widens nothing, since the sandbox itself
// still holds.
const envGrants = "UA_SANDBOX_WRITE"

// WithGrants returns env with the paths that a policy grants by name. A path with a
// newline is left out.
func WithGrants(env []string, granted []string) []string {
	granted = slices.DeleteFunc(slices.Clone(granted),
		func(path string) bool { return strings.Contains(path, "\n") })
	env = slices.DeleteFunc(env, func(kv string) bool {
		return strings.HasPrefix(kv,
			envGrants+"=")
	})
	if len(granted) == 0 {
		return env
	}
	return append(env, envGrants+"="+strings.Join(granted, "\n"))
}

// Grants returns the paths that the sandbox around this process lets be written by name,
// as long as they still lead to the same place.
func Grants() (paths []string) {
	for path := range strings.SplitSeq(os.Getenv(envGrants), "\n") {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) &&
			real == path {
			paths = append(paths, path)
		}
	}
	return paths
}

// A Grant is what a command may do inside a sandbox of ours. The outer sandbox protects the
// secrets, the network and the kernel surface.
type Grant struct {
	ReadOnly bool     // nothing but Tmp is written, and no mode, owner or time changes
	Write    []string // absolute and free of symbolic links
	Hidden   []string // not to be read
	Tmp      string   // the folder for temporary files, "" for none
}

// Locks returns the layers of the grant. A command can signal only processes in its own
// Landlock domain: itself and the commands that the same thread starts. That is how a
// later command ends a server that an earlier one has started. spare is that thread if it
// belongs to another program, otherwise 0.
func (g Grant) Locks(spare int) (Landlock, Filter) {
	f := Files{ReadOnly: g.ReadOnly, View: true, Write: g.Write, Tmp: []string{g.Tmp},
		Hidden: g.Hidden}
	if Terminal() == "" {
		f.Hidden = append(slices.Clip(f.Hidden), console()...)
	}
	rules := f.Rules()
	if !g.ReadOnly {
		rules = append(rules, Rule{Path: "/", Rights: Connect}) // which Unix sockets, the outer one says
	}
	return Landlock{Files: true, Signal: true, Rules: rules}, Filter{NoMeta: g.ReadOnly,
		Spare: spare}
}

// Apply puts the locks on the calling thread for good. The thread must be locked to its
// goroutine and never be unlocked.
func (g Grant) Apply(spare int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	landlock, filter := g.Locks(spare)
	if err := landlock.Restrict(); err != nil {
		return err
	}
	return filter.Install()
}

// console returns the terminal that the outer sandbox shows its commands because a person
// runs it on one. It is not for commands that those run in turn with another standard
// input.
func console() []string {
	const path = "/dev/console"
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return []string{path}
}

// Terminal returns the path of the pseudo terminal that is standard input, or "".
func Terminal() string {
	if path, err := os.Readlink("/proc/self/fd/0"); err == nil &&
		strings.HasPrefix(path, "/dev/pts/") {
		return path
	}
	return ""
}

// Thread runs do on a thread of its own, which ends with it and is not the first one of
// the process. If a process signals a group, or all by -1, Landlock looks only at the
// domain of the first thread of each process. With a command's domain on that thread, the
// command could stop the whole process.
func Thread(do func()) { threadBut(os.Getpid(), do) }

// threadBut is Thread, with the number of the thread that may not be used.
func threadBut(first int, do func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != first {
			do()
			return
		}
		// While this goroutine holds that thread, the next one gets another.
		pinned := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(pinned)
			do()
		}()
		<-pinned
		runtime.UnlockOSThread()
	}()
}
