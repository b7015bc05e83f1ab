package process

import "slices"

// EndCrowd ends a command that runs, by its session, when it has more processes and
// threads than most, and reports whether it had: it may be root, for whom the kernel has
// no such limit (RLIMIT_NPROC, setrlimit(2)).
func (t *Table) EndCrowd(session, most int) bool {
	its := func() []Process {
		return slices.DeleteFunc(t.Descendants(), func(p Process) bool {
			return p.Session != session && p.Top != session
		})
	}
	n := 0
	for _, p := range its() {
		n += max(1, p.threads)
	}
	if n > most {
		KillAll(its)
	}
	return n > most
}
