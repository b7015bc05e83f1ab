//go:build linux

package main_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ua/internal/common/scripttest"
)

// Once there is something to carry, the proxy's threads interrupt nobody when
// they wake; the command's are as ever.
func TestNetYield(t *testing.T) {
	scripttest.Need(t, "curl")
	eachUser(t, func(t *testing.T, o *outside) {
		c := o.sandbox("--net-allow", o.listed, "--", "sh", "-c",
			"curl -s -o /dev/null http://"+o.listed+"/; cat /proc/self/stat; cat")
		hold, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		if got := schedPolicy(line); got != "0" {
			t.Errorf("the command's scheduling policy is %q", got)
		}
		got := proxyPolicies(c.Process.Pid)
		for i := 0; got != "[3]" && i < 1000; i++ { // SCHED_BATCH
			time.Sleep(5 * time.Millisecond)
			got = proxyPolicies(c.Process.Pid)
		}
		if got != "[3]" {
			t.Errorf("the proxy's scheduling policies are %s", got)
		}
		hold.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// proxyPolicies is the scheduling policies of a process's threads, each once.
func proxyPolicies(pid int) string {
	list, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	var policies []string
	for _, path := range list {
		line, _ := os.ReadFile(path)
		policies = append(policies, schedPolicy(string(line)))
	}
	slices.Sort(policies)
	return fmt.Sprint(slices.Compact(policies))
}

// schedPolicy is the 41st field of a stat file (proc_pid_stat(5)).
func schedPolicy(stat string) string {
	_, rest, _ := strings.Cut(stat, ") ") // the name may have spaces
	if fields := strings.Fields(rest); len(fields) > 38 {
		return fields[38]
	}
	return ""
}

// BenchmarkNetDownload compares downloads inside a sandbox with ones outside,
// turn by turn, since machines are noisy: medians, their ratio in percent, and
// the processor's time that ua-sandbox took, which the command's is no part of.
func BenchmarkNetDownload(b *testing.B) {
	scripttest.Need(b, "curl")
	o := newOutside(b, os.Getuid())
	const size = 1 << 30
	block := make([]byte, 1<<20)
	port := serve(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		for range size / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	timed := func(c *exec.Cmd) (wall, cpu float64) {
		start := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		return time.Since(start).Seconds(), (c.ProcessState.UserTime() +
			c.ProcessState.SystemTime()).Seconds()
	}
	median := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}
	for _, way := range []struct{ name, flags string }{{"plain", "-s"}, {"connect", "-p"},
		{"socks", `-x "socks5h://${UA_PROXY#http://}"`}} {
		b.Run(way.name, func(b *testing.B) {
			var direct, proxied, cpu []float64
			for b.Loop() {
				wall, _ := timed(exec.Command("curl", "-sS", "-o", "/dev/null", "http://127.0.0.1:"+port))
				direct = append(direct, wall)
				wall, used := timed(o.sandbox("--net-allow", "host.internal:"+port, "--",
					"sh", "-c", "exec curl -sS "+way.flags+" -o /dev/null http://host.internal:"+port))
				proxied, cpu = append(proxied, wall), append(cpu, used)
			}
			d, p := median(direct), median(proxied)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(size/1e6/d, "direct-MB/s")
			b.ReportMetric(size/1e6/p, "proxied-MB/s")
			b.ReportMetric(100*d/p, "%-of-direct")
			b.ReportMetric(median(cpu)*(1<<30)/size, "proxy-CPU-s/GiB")
		})
	}
}
