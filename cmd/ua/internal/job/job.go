// Package job finds commands in the background, of runs and of the user, and asks the
// ua-exec that keeps them to start, feed and stop them.
package job

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/jobs"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// Lost is the state of a job whose end nobody recorded: the process that kept it was
// killed, and the job with it.
const Lost = "lost"

// A Job is a command that runs in the background.
type Job struct {
	jobs.Record
	Name string // by which people name it
	Key  string // by which what keeps it does
	Dir  string // the folder with its record
	Run  string // the ID of the run that started it, "" for one of the user's own
}

// LogPath returns the path of the last lines that the job has printed, "" for none. The
// record may name any path, so only its last element is used, in the record's own folder.
func (j *Job) LogPath() string {
	if j.Log == "" {
		return ""
	}
	return filepath.Join(j.Dir, filepath.Base(j.Log))
}

// In returns the jobs whose records lie in the folder dir, oldest first, as jobs of the
// run. With a name the jobs go by it, as in a folder that holds a single job.
func In(dir, run, name string) (list []*Job) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil // what a link leads to is no job's
	}
	paths, _ := filepath.Glob(filepath.Join(escape(dir), "*"+jobs.Suffix))
	// One process keeps many jobs, so each socket is tried once.
	alive, left := map[string]bool{}, recordsMax
	for _, path := range paths {
		text, err := safefile.Read(path, recordMax)
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

// gone notes that the process which keeps the job has ended.
func (j *Job) gone() {
	if j.Left = 0; j.State == jobs.Running {
		j.State = Lost
	}
}

// escape returns a pattern that matches only the path itself (filepath.Match).
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Own returns the jobs in a folder that has a subfolder for each. A job goes by the name
// of its subfolder.
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

// Folder is the name of the folder, in a run's or in the user's state, of the jobs that
// have a sandbox of their own.
const Folder = "jobs"

// Outputs is the name of the folder in which such a job keeps its record and output.
const Outputs = "out"

// Find returns the job in the list that word names: by its name, the beginning or the
// last part of it, by the ID of the call that started it, or as run.Last for the newest.
func Find(list []*Job, word string) (*Job, error) {
	if word == run.Last && len(list) > 0 {
		return slices.MaxFunc(list, func(a, b *Job) int { return a.Started.Compare(b.Started) }), nil
	}
	names := func(j *Job) []string { return []string{j.Name, j.CallID} }
	return run.Pick(list, names, word, "job", "jobs", "ua job ls --all")
}

// recordMax is the longest record that is read, in bytes, and recordsMax the total for a
// folder. Commands can write any number of records below the folder of subagents.
const (
	recordMax  = 4 << 20
	recordsMax = 64 << 20
)

// answers reports whether the process that keeps the job still accepts connections.
func (j *Job) answers() bool {
	conn, err := dial(j.Dir, j.Socket)
	if err == nil {
		conn.Close()
	}
	return err == nil
}

// dial connects to a socket in a folder. Commands of a run can create files in the folder of its
// subagents, so a link is not followed and nothing is waited for.
func dial(folder, socket string) (*net.UnixConn, error) {
	dir, err := os.OpenFile(folder, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var st unix.Stat_t
	name := filepath.Base(socket)
	err = unix.Fstatat(int(dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		err = unix.ENOTSOCK
	}
	if err != nil {
		return nil, err
	}
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: jobs.Address(dir, name), Net: "unix"})
}
