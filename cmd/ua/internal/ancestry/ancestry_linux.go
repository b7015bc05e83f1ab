package ancestry

import (
	"os"
	"strconv"
	"strings"

	"ua/internal/common/procfs"
)

// Above returns the ancestry that /proc shows (proc(5)).
func Above() Ancestry {
	var chain []holder
	for pid, p := range procfs.Ancestors(os.Getppid()) {
		h := holder{name: p.Name}
		if p.Name == "ua-exec" || p.Name == "ua-sandbox" {
			args, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			h.args = strings.Split(string(args), "\x00")
		}
		chain = append(chain, h)
	}
	return of(chain)
}
