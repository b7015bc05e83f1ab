package main

import (
	"slices"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// stopper stops what ua-exec starts as soon as it is there: by ua-exec's group, where
// its number can be had, otherwise by the next numbers.
const stopper = `python3 -c '
import ctypes, os
libc, bash = ctypes.CDLL(None), os.getppid()
exec = int(open("/proc/%d/stat" % bash).read().rsplit(")", 1)[1].split()[1])
group = os.getpgid(exec)
os.close(1), os.close(2)
while not os.path.exists("go"): pass
load = os.open("/proc/loadavg", os.O_RDONLY)
while True:
    if group:
        libc.syscall(62, -group, 19)
        continue
    last = int(os.pread(load, 100, 0).split()[-1])
    for pid in range(last, last + 4):
        if pid != os.getpid() and pid != bash: libc.syscall(62, pid, 19)
' &`

// TestNewborn has one command stop the next ones before they have become what they are
// to be, which ua-exec waits for: each call has its result all the same.
func TestNewborn(t *testing.T) {
	scripttest.Need(t, "python3")
	for _, tier := range []string{"4", "3", "2"} {
		t.Run(tier, func(t *testing.T) {
			cmd := confined(t, outside(t), "--tier", tier)
			cmd.Args = append(cmd.Args, "--grace", "10ms")
			frozen := time.AfterFunc(2*time.Minute, func() {
				t.Error("frozen")
				cmd.Process.Kill()
			})
			defer frozen.Stop()
			short := task{command: "true", input: `,"timeout_ms":300`}
			hit := 0
			// Its limit is for the shell that lets the stopper go: it may be the first one stopped.
			free := task{command: ": >go", input: short.input}
			for _, r := range feed(t, cmd, append([]task{{command: stopper}, free},
				slices.Repeat([]task{short}, 60)...)...)[2:] {
				if r.Get("signal").Exists() {
					hit++
				}
			}
			t.Logf("%d of 60 were stopped", hit)
		})
	}
}
