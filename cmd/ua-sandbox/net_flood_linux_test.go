package main_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// floods is a client that opens more connections to its proxy than that serves at once:
// some say nothing, some a part of a request, some a header without an
// end. It keeps them until it is told to go.
const floods = `import os, resource, socket, sys
from urllib.parse import urlparse
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
u = urlparse(os.environ["UA_PROXY"])
kept = []
for i in range(2000):
    s = socket.socket()
    s.setblocking(False)
    try:
        s.connect((u.hostname, u.port))
    except BlockingIOError:
        pass
    kept.append(s)
said = [b"", b"GET http://host.internal/ HTTP/1.1\r\nHost:",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 1000000]
sent = 0
for round in range(40):
    for i, s in enumerate(kept):
        try:
            sent += s.send(said[i % 3])
        except OSError:
            pass
print(len(kept), flush=True)
sys.stdin.read()
`

// TestNetLogLimit has a limit on the size of files hold for the command, and not for the log
// that ua-sandbox writes of its requests.
func TestNetLogLimit(t *testing.T) {
	scripttest.Need(t, "curl")
	eachUser(t, func(t *testing.T, o *outside) {
		for _, tier := range []string{"4", "3"} {
			log := filepath.Join(o.dir, "net"+tier+".jsonl")
			args := []string{"--tier", tier, "--profile", "network", "--net-allow", "app.test",
				"--net-log", log, "--ulimit", "fsize=1K", "--ulimit", "data=1G"}
			cmd := o.sandbox(append(args, "--", "sh", "-c", `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
				curl -s "http://host$i.test/" >/dev/null; done; ulimit -Hf; ulimit -Hd`)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), "2\n1048576\n") {
				t.Errorf("tier %s: %v: %s", tier, err, out)
			}
			if text, err := os.ReadFile(log); err != nil || len(text) < 2000 ||
				strings.Count(string(text), "host") < 12 {
				t.Errorf("tier %s: %v: the log has %d bytes", tier, err, len(text))
			}
		}
	})
}

// TestProxyFlood has a command flood its proxy: what that holds of memory and descriptors
// is bounded, and the sandbox ends with the command.
func TestProxyFlood(t *testing.T) {
	scripttest.Need(t, "python3")
	eachUser(t, func(t *testing.T, o *outside) {
		script := filepath.Join(o.dir, "floods.py")
		if err := os.WriteFile(script, []byte(floods), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := o.sandbox("--profile", "network", "--net-allow", o.listed, "--read", script, "--net-log",
			filepath.Join(o.dir, "net.jsonl"), "--", "python3", script)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killed := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		defer killed.Stop()
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil || line != "2000\n" {
			t.Fatalf("%q %v: %s", line, err, &said)
		}
		proc := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
		open, err := os.ReadDir(proc + "fd")
		if err != nil || len(open) > 700 {
			t.Errorf("%d descriptors are open: %v", len(open), err)
		}
		status, _ := os.ReadFile(proc + "status")
		var rss int // KiB
		for line := range strings.Lines(string(status)) {
			_, _ = fmt.Sscanf(line, "VmHWM: %d kB", &rss)
		}
		if rss == 0 || rss > 256<<10 {
			t.Errorf("%d KiB of memory were held", rss)
		}
		t.Logf("%d descriptors, %d KiB", len(open), rss)
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &said)
		}
	})
}
