package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/supervisor"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/tree"
)

// finish writes down what changed and tells the person.
func (r *runner) finish(of supervisor.Report, status unix.WaitStatus) {
	end := try.End{Ended: time.Now().UTC().Truncate(time.Millisecond), Status: statusOf(status),
		Running: of.Running, Network: of.Network, Outside: of.Outside, Deleted: of.Deleted}
	if was := r.ended; was != nil {
		end.Network, end.Outside = union(was.Network, end.Network), union(was.Outside, end.Outside)
		end.Deleted = union(was.Deleted, end.Deleted)
	}
	err := r.try.Finish(end)
	var list []manifest.Entry
	if of.Running {
		list, _ = manifest.Peek(r.try) // it may change yet
	} else {
		var e error
		if list, e = manifest.Load(r.try); err == nil {
			err = e
		}
		if e = manifest.Tidy(r.try); err == nil {
			err = e
		}
	}
	r.lock.Close()
	if err != nil {
		r.unrecorded = true
		r.env.Warnf("%v", err)
		r.env.Warnf("hint: the changes are kept in %s; ua-try diff %s looks at them again",
			r.try.Dir, r.try.ID)
	}
	if of.Running {
		r.env.Warnf("processes that the command left behind are still running; what they write joins " +
			"the try, which can be applied when they have ended")
	}
	if r.o.Quiet {
		return
	}
	if len(of.Network) > 0 {
		r.env.Warnf("what it did over the network is not part of the try: it contacted %s",
			strings.Join(of.Network, ", "))
	}
	if len(of.Outside) > 0 {
		r.env.Warnf("what it wrote outside of the covered folders is not part of the try: %s",
			strings.Join(shownAll(of.Outside), ", "))
	}
	if text := manifest.Changed(manifest.Files(list)); text != "" {
		r.env.Warnf("%s: ua-try diff | apply | drop", text)
	}
}

// union returns what is in either list.
func union[T comparable](a, b []T) []T {
	for _, e := range b {
		if !slices.Contains(a, e) {
			a = append(a, e)
		}
	}
	return a
}

// shownAll returns the first few paths as a line can hold them, and how many more there
// are.
func shownAll(paths []string) (list []string) {
	for i, path := range paths {
		if i == supervisor.FewPaths {
			return append(list, fmt.Sprintf("and %d more", len(paths)-i))
		}
		list = append(list, tree.Shown(path))
	}
	return list
}

// statusOf returns a wait status in the way a shell tells it.
func statusOf(status unix.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}
