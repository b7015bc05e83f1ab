package folder

import (
	"encoding/json"
	"path/filepath"

	"ua/internal/common/jobs"
)

// Record writes the record to the file at path, or to a new file if path is "". It
// replaces the file as a whole, so that a reader never sees part of it. It returns the
// path, or "" if there is no file.
func (f *Folder) Record(id, path string, r *jobs.Record) string {
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.open(id, jobs.Suffix)
	if err != nil {
		return ""
	}
	_, err = file.Write(append(text, '\n'))
	if closed := file.Close(); err != nil || closed != nil {
		_ = f.dir.Remove(filepath.Base(file.Name()))
		return path
	}
	if path == "" {
		return file.Name()
	}
	if f.dir.Rename(filepath.Base(file.Name()), filepath.Base(path)) != nil {
		_ = f.dir.Remove(filepath.Base(file.Name()))
	}
	return path
}
