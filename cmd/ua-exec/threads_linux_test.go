package main

import (
	"fmt"
	"strconv"
	"testing"

	"ua/internal/common/threads"
)

// TestSpareThreads has commands count ua-exec's threads: one that runs on sees the spare
// ones come, and so does the one behind a command that left a process; where few
// processes are allowed, they are there before the first command is.
func TestSpareThreads(t *testing.T) {
	reach := fmt.Sprintf("until [ $(ls /proc/$PPID/task | wc -l) -ge %d ]; do sleep 0.01; done",
		threads.Spare)
	for _, c := range []struct {
		pids     int
		commands []string
	}{
		{4096, []string{"true", reach}},
		{4096, []string{"sleep 60 >/dev/null 2>&1 & true", reach}},
		{100, []string{reach}},
	} {
		l := begin(t, confined(t, outside(t), "--tier", "4", "--pids", strconv.Itoa(c.pids)))
		for _, command := range c.commands {
			l.send(task{command: command, input: `,"timeout_ms":60000`})
			if r := l.next("tool_result"); r.Get("exit_code").Int() != 0 {
				t.Errorf("%d processes: %s", c.pids, r.Raw)
			}
		}
	}
}
