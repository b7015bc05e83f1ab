package main

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestVerdictEffects: a verdict tells each effect once, as explain does, and not more than it has
// room for.
func TestVerdictEffects(t *testing.T) {
	g := testGate(t, attended)
	for command, want := range map[string]string{
		"ls; ls": "reads files ls 1:1+2", "ls | wc": "reads files ls 1:1+2,reads files wc 1:6+2",
		"cat a > b": "reads files cat 1:1+5,writes in the workspace redirect 1:7+3",
		"curl https://example.org/x": "talks to hosts curl 1:1+26," +
			"talks to hosts curl 1:1+26", // with the host, and as a program
		"cat ~/.ssh/id_rsa": "reads secrets path:secret 1:1+17",
	} {
		v := decided(t, g, command, nil)
		var got []string
		for _, e := range gjson.GetBytes(v.event("c1"), "effects").Array() {
			got = append(got, strings.Join([]string{e.Get("kind").Str, e.Get("what").Str,
				e.Get("how").Str, e.Get("span").Str}, " "))
		}
		if is := strings.Join(got, ","); is != want {
			t.Errorf("%s: %s, want %s", command, is, want)
		}
	}
	v := decided(t, g, strings.Repeat("cat "+strings.Repeat("x", 999)+" >a\n", 40), nil)
	line := v.event("c1")
	if n := len(gjson.GetBytes(line, "effects").Array()); n > maxEffects {
		t.Errorf("%d effects", n)
	}
	if size := len(gjson.GetBytes(line, "effects").Raw); size > maxEffects*1024 {
		t.Errorf("%d bytes", size)
	}
}
