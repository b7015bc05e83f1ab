package main

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"ua/cmd/ua-exec/internal/process"
)

// TestPipeline compares commands with what a bare bash does: telling the
// statuses of a pipeline changes nothing else.
func TestPipeline(t *testing.T) {
	cases := []struct{ command, pipeline string }{
		{"true", ""},
		{"false | true", "[1,0]"},
		{"(exit 3) | (exit 4) | (exit 5)", "[3,4,5]"},
		{"true | false", "[0,1]"},
		{"! false | true", "[1,0]"},
		{"false |& cat", "[1,0]"},
		{"echo a | cat; false | cat", "[1,0]"},
		{"false | cat && echo yes", ""},
		{"false | true || echo no", "[1,0]"},
		{"cd / && ls /nonexistent 2>&1 | cat | wc -l", "[2,0,0]"},
		{"set -e; false | false; echo no", "[1,1]"},
		{"set -o pipefail; false | true", "[1,0]"},
		{"set -u; echo $1 | cat; echo $nope", "?"},
		{"false | true; set -x; :", ""},
		{"echo 'a | b'", ""},
		{"false | true; exit 9", "[1,0]"},
		{"false | true; exec echo gone", ""},
		{"trap 'echo mine' EXIT; false | true", ""},
		{"false | true; kill -TERM $$; echo not reached", "?"},
		{"x=$(false | true); echo $x$?", ""},
		{"f() { false | true; }; f", ""},
		{"(false | true)", ""},
		{"{ false | true; }", "[1,0]"},
		{"if false | true; then echo t; fi", ""},
		{"for i in 1 2; do echo $i | cat; done", "[0,0]"},
		{"while read l; do echo $l; done < <(echo a | cat)", ""},
		{"yes | head -1", "[141,0]"},
		{"echo $BASH_ENV $# $-; true | true", "[0,0]"},
		{"exec 3>&1; false | true; echo x >&3", ""},
		{"exec 1>&-; echo lost | cat", "?"},
		{"bash -c 'false | true'; echo ${PIPESTATUS[@]}", ""},
		{"case a in a|b) echo m;; esac", ""},
		{"[[ a == a || b == c ]]; echo $?", ""},
		{"echo a |", "?"},
		{"echo $((5|2))", ""},
		{"printf() { echo mine; }; false | true; printf x", ""},
		{"shopt -s lastpipe; echo a | read x; echo $x", ""},
		{"return 3 | cat", "?"},
		{"set -- a b; false | true; echo $@", ""},
		{"false | true & wait $!", ""},
		{"coproc cat; echo a | cat", "[0,0]"},
	}
	var tasks []task
	for _, c := range cases {
		tasks = append(tasks, task{command: c.command})
	}
	list := results(t, unconfined, tasks...)
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		r := list[i]
		if got := r.Get("pipeline").Raw; got != c.pipeline && c.pipeline != "?" {
			t.Errorf("%s: statuses %s, want %s", c.command, got, c.pipeline)
		}
		bare := exec.Command(shell, "--noprofile", "--norc", "-c", c.command)
		var out bytes.Buffer
		bare.Stdout, bare.Stderr = &out, &out
		err := bare.Run()
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			e := process.Ended{Status: exit.Sys().(syscall.WaitStatus)}
			code, _ = e.Code()
		}
		if got := r.Get("exit_code").Int(); got != int64(code) {
			t.Errorf("%s: exit status %d, bare %d", c.command, got, code)
		}
		got, _, _ := strings.Cut(text(r), "\n</terminal_output>")
		got, _, _ = strings.Cut(got, "[ua-exec: ")
		if got != strings.TrimSuffix(out.String(), "\n") {
			t.Errorf("%s: output %q, bare %q", c.command, got, out.String())
		}
	}
}
