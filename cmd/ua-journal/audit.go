package main

import (
	"path/filepath"

	"ua/cmd/ua-journal/internal/audit"
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
)

// auditLog is the operand that means the audit log.
const auditLog = "audit"

// eachRecord calls do for each line of the audit log: what the runs of the user and their
// subagents proposed, were allowed and did, the oldest run first. It is made of their
// journals.
func eachRecord(env *prog.Env, do func(line []byte) error) error {
	paths, err := allRuns()
	if err != nil {
		return err
	}
	for _, path := range paths {
		j, size, err := store.Open(path)
		if err != nil {
			warn(env, path)(err)
			continue
		}
		run := filepath.Base(filepath.Dir(path))
		err = store.Each(j, size, warn(env, path), func(line []byte, _ int64) error {
			if record := audit.Record(run, line); record != nil {
				return do(record)
			}
			return nil
		})
		j.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
