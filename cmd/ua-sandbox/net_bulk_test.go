//go:build linux

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

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
	for _, way := range []struct{ name, flags string }{{"plain", "-s"}, {"connect", "-p"}} {
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
