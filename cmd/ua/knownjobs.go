package main

import (
	"path/filepath"

	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/job"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/xdg"
)

// knownJobs returns the jobs within reach. With a name these are the jobs of that run; in a
// command of a run, that run's; otherwise the user's own and those of all runs.
func knownJobs(name string) ([]*job.Job, error) {
	above := ancestry.Here()
	var list []*job.Job
	// Jobs in the run's own sandbox, and those that have one of their own.
	add := func(r run.Run) {
		list = append(list, job.In(filepath.Join(r.Dir, run.OutFolder), r.ID, "")...)
		list = append(list, job.Own(filepath.Join(r.Dir, job.Folder), r.ID)...)
	}
	switch {
	case name != "":
		r, err := runfolder.Find(above.Folder(), name)
		if err != nil {
			return nil, err
		}
		add(r)
	case above.Dir != "":
		add(run.Run{ID: filepath.Base(above.Dir), Dir: above.Dir})
	default:
		list = job.Own(filepath.Join(xdg.State(), job.Folder), "")
		if err := runfolder.Some(run.Root(), add); err != nil {
			return nil, prog.Errorf(prog.Trouble, "%v", err)
		}
	}
	return list, nil
}

// meantJobs returns the jobs that the words name, or an error for the first that names
// none.
func meantJobs(verb, runName string, words []string) (found []*job.Job, err error) {
	if len(words) == 0 {
		return nil, prog.Errorf(prog.Trouble, "job %s: no job given", verb).
			Hintf("ua job ls lists them")
	}
	list, err := knownJobs(runName)
	for _, w := range words {
		if err != nil {
			return nil, err
		}
		var j *job.Job
		if j, err = job.Find(list, w); err == nil {
			found = append(found, j)
		}
	}
	return found, err
}
