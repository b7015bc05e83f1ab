package main

import (
	"os"
	"strconv"
	"strings"
)

// killedFirst has the kernel end the command, and all that it starts, before programs
// outside when memory runs out: no limit of a process bounds what many use together. A
// higher score stays, and where it can't be set, there is none. It has to be done before
// this process can't be traced, since its files in /proc are root's then.
func killedFirst() {
	f, err := os.OpenFile("/proc/self/oom_score_adj", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	var text [16]byte
	n, _ := f.Read(text[:])
	now, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err == nil && now < oomScore {
		_, _ = f.WriteAt([]byte(strconv.Itoa(oomScore)), 0)
	}
}
