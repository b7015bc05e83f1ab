package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/internal/common/safefile"
)

// sshIncluded returns mounts that show the files which the machine's ssh_config includes as
// the user's own. ssh refuses such a file unless root or the user owns it (ssh_config(5),
// Include), and in a user namespace without root nobody owns it.
func sshIncluded() (list []layer.Mount) {
	const most, size = 50, 64 << 10
	files := []string{"/etc/ssh/ssh_config", "/usr/etc/ssh/ssh_config"}
	for i := 0; i < len(files) && i < most; i++ {
		text, err := safefile.Read(files[i], size)
		var stat unix.Stat_t
		if err != nil || unix.Stat(files[i], &stat) != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if !strings.EqualFold(word, "include") {
				continue
			}
			for pattern := range strings.FieldsSeq(rest) {
				if pattern = strings.Trim(pattern, `"`); !filepath.IsAbs(pattern) {
					pattern = filepath.Join("/etc/ssh", pattern)
				}
				found, _ := filepath.Glob(pattern)
				for _, path := range found {
					path, err := filepath.EvalSymlinks(path)
					if err == nil && !slices.Contains(files, path) {
						files = append(files, path)
					}
				}
			}
		}
		if i > 1 && stat.Uid == 0 && stat.Mode&0o022 == 0 {
			list = append(list, layer.Mount{Path: files[i], Kind: layer.FileOf, Text: string(text)})
		}
	}
	return list
}
