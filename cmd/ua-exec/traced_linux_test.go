package main

import (
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// traces leaves a process that traces what the first line of the file "pid" names, by
// PTRACE_SEIZE, and never looks at its end.
const traces = `python3 -c '
import ctypes, os, signal, time
os.setsid()
for s in 1, 2, 15: signal.signal(s, signal.SIG_IGN)
os.close(1), os.close(2)
while True:
    try: pid = int(open("pid").readline())
    except (OSError, ValueError): continue
    if ctypes.CDLL(None).ptrace(0x4206, pid, None, None) == 0: break
open("traced", "w").close()
time.sleep(600)' & `

// isTraced ends with status 3 while that holds the first thread, or one beside it.
const (
	isTraced = `exec python3 -c '
import ctypes, os, threading, time
ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_long(-1), 0, 0, 0) # PR_SET_PTRACER: anybody
def tell(): open("pid", "w").write("%d\n" % threading.get_native_id())
THREAD
while not os.path.exists("traced"): time.sleep(.01)
os._exit(3)'`
	first  = `tell()`
	beside = `threading.Thread(target=lambda: (tell(), time.sleep(600)), daemon=True).start()`
)

// TestHeldByTracer has a command be traced by a process of its own, and by one that an
// earlier command has left: what has ended and can't be reaped does not hold the run up.
func TestHeldByTracer(t *testing.T) {
	scripttest.Need(t, "python3")
	for _, thread := range []string{first, beside} {
		traced := strings.Replace(isTraced, "THREAD", thread, 1)
		for _, tasks := range [][]task{
			{{command: traces + traced}},
			{{command: traces}, {command: traced}},
			{{command: traces}, {command: traced, input: `,"background":true`},
				{command: "while [ ! -e traced ]; do sleep .01; done"}},
		} {
			list := results(t, []string{"--unconfined", "--grace", "10ms"}, tasks...)
			last := list[min(len(tasks)-1, 1)]
			if last.Get("status").Str != "background" && last.Get("exit_code").Int() != 3 {
				t.Errorf("%s: %s", thread, last.Raw)
			}
		}
	}
}
