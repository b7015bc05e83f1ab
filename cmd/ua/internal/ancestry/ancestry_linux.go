package ancestry

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Above returns the ancestry of this process, as far as /proc shows it (proc(5)).
func Above() Ancestry {
	var chain []process
	for pid := os.Getppid(); pid > 0 && len(chain) < 1000; {
		dir := "/proc/" + strconv.Itoa(pid)
		stat, err := os.ReadFile(dir + "/stat")
		from, to := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		if err != nil || from < 0 || to < from {
			break
		}
		fields := strings.Fields(string(stat[to+1:]))
		if len(fields) < 2 {
			break
		}
		p := process{name: string(stat[from+1 : to])}
		if p.name == "ua-exec" || p.name == "ua-sandbox" {
			args, _ := os.ReadFile(dir + "/cmdline")
			p.args = strings.Split(string(args), "\x00")
		}
		chain = append(chain, p)
		pid, _ = strconv.Atoi(fields[1])
	}
	return of(chain)
}
