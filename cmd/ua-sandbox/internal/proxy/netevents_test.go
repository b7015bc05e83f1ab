package proxy

import (
	"fmt"
	"testing"

	"github.com/tidwall/gjson"
)

// TestNetSums has any number of requests make few events, which together say it all.
func TestNetSums(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		host  func(i int) string
		lines int // at most
	}{
		{"few", maxSingle, func(int) string { return "a" }, maxSingle},
		{"one host", 10_000, func(int) string { return "a" }, 160},
		{"a million", 1_000_000, func(int) string { return "a" }, 176},
		{"two hosts", 10_000, func(i int) string { return fmt.Sprint(i % 2) }, 320},
		{"many hosts", 10_000, func(i int) string { return fmt.Sprint(i) }, maxHosts + 160},
	} {
		s, lines, requests, up := netSums{}, 0, 0, 0
		take := func(e *netEvent) {
			line := gjson.ParseBytes(e.line())
			lines++
			up += int(line.Get("bytes_up").Int())
			requests += max(int(line.Get("count").Int()), 1)
		}
		for i := range c.n {
			if e := s.add(netEvent{host: c.host(i), port: 443, method: "CONNECT", up: 3}); e != nil {
				take(e)
			} else if i < maxSingle {
				t.Errorf("%s: request %d has no event of its own", c.name, i)
			}
		}
		for _, e := range s.end() {
			take(&e)
		}
		if requests != c.n || up != 3*c.n || lines > c.lines || len(s.end()) > 0 || len(s) > maxHosts+2 {
			t.Errorf("%s: %d requests, %d bytes in %d lines", c.name, requests, up, lines)
		}
	}
}
