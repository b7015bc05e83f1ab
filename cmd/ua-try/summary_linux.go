package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/style"
)

// finish writes down what changed and tells the person.
func (p *parent) finish(r report, status unix.WaitStatus) {
	end := try.End{Ended: time.Now().UTC().Truncate(time.Millisecond), Status: statusOf(status),
		Running: r.Running, Network: r.Network, Outside: r.Outside, Deleted: r.Deleted}
	if was := p.ended; was != nil {
		end.Network, end.Outside = union(was.Network, end.Network), union(was.Outside, end.Outside)
		end.Deleted = union(was.Deleted, end.Deleted)
	}
	err := p.try.Finish(end)
	var list []manifest.Entry
	if r.Running {
		list, _ = manifest.Peek(p.try) // it may change yet
	} else {
		var e error
		if list, e = manifest.Load(p.try); err == nil {
			err = e
		}
		if e = manifest.Tidy(p.try); err == nil {
			err = e
		}
	}
	p.lock.Close()
	if err != nil {
		p.unrecorded = true
		p.env.Warnf("%v", err)
		p.env.Warnf("hint: the changes are kept in %s; ua-try diff %s looks at them again",
			p.try.Dir, p.try.ID)
	}
	if r.Running {
		p.env.Warnf("processes that the command left behind are still running; what they write joins " +
			"the try, which can be applied when they have ended")
	}
	if p.o.quiet {
		return
	}
	if len(r.Network) > 0 {
		p.env.Warnf("what it did over the network is not part of the try: it contacted %s",
			strings.Join(r.Network, ", "))
	}
	if len(r.Outside) > 0 {
		p.env.Warnf("what it wrote outside of the covered folders is not part of the try: %s",
			strings.Join(shownAll(r.Outside), ", "))
	}
	if text := changes(manifest.Files(list)); text != "" {
		p.env.Warnf("%s: ua-try diff | apply | drop", text)
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
		if i == fewPaths {
			return append(list, fmt.Sprintf("and %d more", len(paths)-i))
		}
		list = append(list, shown(path))
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

// changes returns in words how much changed, "" for nothing.
func changes(files, folders int) string {
	switch {
	case files > 0:
		return style.Plural(int64(files), "file") + " changed"
	case folders > 0:
		return style.Plural(int64(folders), "folder") + " changed"
	}
	return ""
}
