package main

import (
	"ua/cmd/ua/internal/ancestry"
	"ua/cmd/ua/internal/ring"
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
