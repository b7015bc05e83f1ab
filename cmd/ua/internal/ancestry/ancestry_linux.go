package ancestry

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Above returns the ancestry of this process, as far as /proc shows it (proc(5)).
func Above() Ancestry {
	var chain []process
	buf := make([]byte, 4096)
	for pid := os.Getppid(); pid > 0 && len(chain) < 1000; {
		dir := "/proc/" + strconv.Itoa(pid)
		stat := readOnce(dir+"/stat", buf)
		from, to := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		if from < 0 || to < from {
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

// readOnce returns what one read of a file of /proc gives. Every ua reads one for each
// process above it, and package os takes twice the calls.
func readOnce(path string, buf []byte) []byte {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}
