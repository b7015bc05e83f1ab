package policy

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/regular"
	"ua/internal/common/repository"
)

// linksIn returns the paths of the gitlinks in an index of the git folder dir. If one of
// them takes its name from the shared index, it returns all paths of that as well.
func linksIn(index *os.File, dir string) ([]string, error) {
	size := objectSize(dir)
	data, err := io.ReadAll(io.NewSectionReader(index, 0, maxIndex))
	if err != nil || len(data) == 0 {
		return nil, err
	}
	x, err := repository.ParseIndex(data, size, false)
	if err != nil || x.Base == "" {
		return x.Links, err
	}
	base, err := regular.Read(filepath.Join(dir, x.Base), maxIndex)
	if err != nil {
		return x.Links, nil // nor can git read this index
	}
	shared, err := repository.ParseIndex(base, size, x.Renamed)
	if x.Renamed {
		return append(x.Links, shared.Names...), err
	}
	return append(x.Links, shared.Links...), err
}

// objectSize returns the length of object names in the repository of the git folder dir:
// 32 bytes with SHA-256, otherwise 20.
func objectSize(dir string) int {
	if common := line(filepath.Join(dir, "commondir")); filepath.IsAbs(common) {
		dir = common
	} else {
		dir = filepath.Join(dir, common)
	}
	for _, s := range settingsOf(filepath.Join(dir, "config")) {
		if s.Name == "extensions.objectformat" && strings.EqualFold(s.Value, "sha256") {
			return 32
		}
	}
	return 20
}
