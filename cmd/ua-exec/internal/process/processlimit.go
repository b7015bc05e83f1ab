package process

import "slices"

// EndCrowd ends a running command, identified by its session, if it has more than most
// processes and threads, and reports whether it had. RLIMIT_NPROC does not bind root
// (setrlimit(2)), so that this has to be counted here.
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
