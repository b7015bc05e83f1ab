package ancestry

import (
	"os"
	"strconv"
	"strings"

	"ua/internal/common/procfs"
)

// Above returns the ancestry that /proc shows (proc(5)). It follows parents up to 1,000
// processes and stops at the first that cannot be read.
func Above() Ancestry {
	var chain []holder
	for pid := os.Getppid(); pid > 0 && len(chain) < 1000; {
		p, ok := procfs.Read(pid)
		if !ok {
			break
		}
		h := holder{name: p.Name}
		if p.Name == "ua-exec" || p.Name == "ua-sandbox" {
			args, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			h.args = strings.Split(string(args), "\x00")
		}
		chain = append(chain, h)
		pid = p.Parent
	}
	return of(chain)
}
