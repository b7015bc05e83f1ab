// Package job finds the commands in the background, of runs and of the user, and asks
// what keeps them, a ua-exec, to start, feed and stop one.
package job

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/jobs"
	"ua/internal/common/regular"
)

// Lost is the state of a job whose end nobody could write down: what kept it was
// killed, and the job with it.
const Lost = "lost"

// A Job is a command in the background.
type Job struct {
	jobs.Record
	Name string // by which people name it
	Key  string // by which what keeps it does
	Dir  string // the folder with its record
	Run  string // the ID of the run that started it, "" for one of the user's own
}

// LogPath returns the file with the last lines that it has printed, "" for none. It lies
// in the folder of the record, whatever that says.
func (j *Job) LogPath() string {
	if j.Log == "" {
		return ""
	}
	return filepath.Join(j.Dir, filepath.Base(j.Log))
}

// In returns the jobs whose records lie in the folder, oldest first, as those of the run.
// With a name they are known by that, as a folder with one job is.
func In(dir, run, name string) (list []*Job) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil // what a link leads to is no job's
	}
	paths, _ := filepath.Glob(filepath.Join(escape(dir), "*"+jobs.Suffix))
	alive, left := map[string]bool{}, recordsMax
	for _, path := range paths {
		text, err := regular.Read(path, recordMax)
		if err != nil {
			continue
		}
		if left -= len(text) + 1<<10; left < 0 {
			break
		}
		j := &Job{Name: name, Key: jobs.Name(path), Dir: dir, Run: run}
		if json.Unmarshal(text, &j.Record) != nil {
			continue
		}
		if name == "" {
			j.Name = j.Key
		}
		if (j.State == jobs.Running || j.Left > 0) && j.Socket != "" {
			answers, asked := alive[j.Socket]
			if !asked {
				answers = j.answers()
				alive[j.Socket] = answers
			}
			if !answers {
				j.gone()
			}
		}
		list = append(list, j)
	}
	slices.SortFunc(list, func(a, b *Job) int { return a.Started.Compare(b.Started) })
	return list
}

// gone notes that what keeps the job has ended.
func (j *Job) gone() {
	if j.Left = 0; j.State == jobs.Running {
		j.State = Lost
	}
}

// escape returns a path as a pattern that matches it alone (filepath.Match).
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Own returns the jobs in a folder that has a folder for each, which holds one of that
// folder's name.
func Own(folder, run string) (list []*Job) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, In(filepath.Join(folder, e.Name(), Outputs), run, e.Name())...)
		}
	}
	return list
}

// Folder is the folder, in that of a run or of the user's state, of jobs that have
// a sandbox of their own.
const Folder = "jobs"

// Outputs is the folder of outputs in that of a job of its own.
const Outputs = "out"
