package main

import (
	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runs"
)

// named returns the runs that the operands name.
func named(verb string, names []string) (list []run.Run, err error) {
	folder := ancestry.Here().Folder()
	for _, name := range names {
		r, err := runs.Find(folder, name)
		if err != nil {
			return nil, ring.AsTask(verb, names, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// liveShell returns an error for a session of ua-shell that goes on: its person steers and ends
// it. hint says how.
func liveShell(r run.Run, hint string) error {
	if _, driven := runs.Driver(r); driven || !runs.Read(r).Live() {
		return nil
	}
	return prog.Errorf(prog.No, "%s is a session of ua-shell", r.ID).Hintf("%s", hint)
}
