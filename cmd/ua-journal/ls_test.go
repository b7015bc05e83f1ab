package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// A run is running while its journal has a writer, of which ls knows the
// process, and has failed when it has neither a writer nor a summary.
func TestState(t *testing.T) {
	p := newPlace(t)
	state := func(want string) {
		t.Helper()
		if out, errs, status := p.run("ls", "--json"); status != 0 || !strings.Contains(out, want) {
			t.Errorf("no %s in %s%s", want, out, errs)
		}
	}
	p.run("new")
	cmd := p.command("append", "--tee", "last")
	in, out := piped(t, cmd)
	io.WriteString(in, `{"type":"response","usage":{"input":3,"output":4}}`+"\n")
	if _, err := bufio.NewReader(out).ReadSlice('\n'); err != nil {
		t.Fatal(err)
	}
	p.bin = filepath.Join(filepath.Dir(p.bin), "ua") // it is not a driver that it knows
	if out, errs, status := p.run("ps"); status != 0 || !strings.Contains(out, " running ") {
		t.Errorf("ua ps: %d, %s%s", status, out, errs)
	}
	p.bin = filepath.Join(filepath.Dir(p.bin), "ua-journal")
	state(fmt.Sprintf(`"state":"running","task":"","pid":%d,"tokens_in":3,"tokens_out":4,`,
		cmd.Process.Pid))
	in.Close()
	cmd.Wait()
	state(`"state":"failed"`)
	p.run("end", "--exit-code", "3")
	state(`"state":"failed"`)
	p.run("end")
	state(`"state":"completed"`)
}
