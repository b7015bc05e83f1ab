package main

import (
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/jobs"
)

// A remainder is what runs on when a call has its result: a command in the background, what a
// command has left, and the jobs that it has started. A denial that comes after the
// result ends these. A nil remainder is nothing.
type remainder struct {
	x     *executor
	job   *execution        // the command in the background; nil for one that has ended
	left  []process.Process // by one that has ended
	owner *credential       // of its rights, with which it may have started jobs
}

// remainder returns what runs on of a command that has its result, or nil.
func (e *execution) remainder() *remainder {
	r := &remainder{x: e.x, left: e.left, owner: e.credential}
	if e.status == "background" {
		r.job = e
	}
	if r.job == nil && len(r.left) == 0 && r.owner == nil {
		return nil
	}
	return r
}

// jobs returns the commands in the background among them.
func (r *remainder) jobs() (list []*execution) {
	if r.job != nil {
		list = append(list, r.job)
	}
	r.x.control.mu.Lock()
	defer r.x.control.mu.Unlock()
	owners := []*credential{r.owner} // a job can start jobs
	for i := 0; i < len(owners); i++ {
		for _, e := range r.x.control.jobs {
			if owners[i] != nil && e.starter == owners[i].ID {
				list, owners = append(list, e), append(owners, e.credential)
			}
		}
	}
	return list
}

// processes returns what the command has left running.
func (r *remainder) processes() []process.Process { return r.x.processes.From(r.left) }

// runs reports whether anything runs on.
func (r *remainder) runs() bool {
	if r == nil {
		return false
	}
	for _, e := range r.jobs() {
		if !e.isOver() || len(e.stillLeft()) > 0 {
			return true
		}
	}
	return len(r.processes()) > 0
}

// end begins to end all that runs on, and reports whether there was anything.
func (r *remainder) end() bool {
	if !r.runs() {
		return false
	}
	for _, e := range r.jobs() {
		go e.end(&jobs.Request{})
	}
	go r.x.endAll(r.processes, r.x.opts.grace)
	return true
}
