package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A shell runs the text of a job with the arguments that it was made of.
func TestShellText(t *testing.T) {
	for _, args := range [][]string{
		{"a", "b c", ""},
		{"'", `"`, `\`, "$HOME", "`x`", "$(x)", "a'b'c"},
		{"*", "~", "!", "#x", "a=b", "-n", "--", "&", "|", ";", "<", ">", "(", "{a,b}"},
		{"a\nb", "\t", "é", "\x01"},
	} {
		text := shellText(append([]string{"printf", "%s\\0"}, args...))
		out, err := exec.Command("/bin/sh", "-c", text).Output()
		if err != nil || string(out) != strings.Join(args, "\x00")+"\x00" {
			t.Errorf("%q: %q, %v", text, out, err)
		}
	}
	if got := shellText([]string{"make", "-j4", "a_b/c.d"}); got != "exec make -j4 a_b/c.d" {
		t.Errorf("%q is quoted without need", got)
	}
}
