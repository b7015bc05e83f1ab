package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// abroad is a shell script in a process namespace of its own, where /proc is still that of the
// outside.
func abroad(t *testing.T, script string, args ...string) *exec.Cmd {
	t.Helper()
	scripttest.Need(t, "unshare")
	const same = `read -r pid rest </proc/self/stat; test $pid = $$`
	if out, err := exec.Command("unshare", "-Urpf", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%v: %s", err, out)
	}
	if exec.Command("unshare", "-Urpf", "sh", "-c", same).Run() == nil {
		t.Fatal("/proc shows the new namespace")
	}
	cmd := exec.Command("unshare", append([]string{"-Urpf", "--kill-child", "sh", "-c", script,
		filepath.Join(scripttest.Bin(t), "ua-sandbox")}, args...)...)
	cmd.Dir = t.TempDir()
	return cmd
}

// running reports whether a process with that argument runs, by the /proc of the outside.
func running(word string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range files {
		text, _ := os.ReadFile(path)
		if strings.HasPrefix(string(text), "sleep\x00"+word+"\x00") {
			return true
		}
	}
	return false
}

// TestForeignProc: where /proc tells nothing of the command's processes, which leaves tier 2,
// they end with it all the same, with its parent too, and nothing else does.
func TestForeignProc(t *testing.T) {
	scripttest.Bin(t)
	for i, tier := range []string{"--tier=2", "--quiet"} {
		for j, end := range []string{
			`"$0" $1 --quiet -- sh -c "$2 & setsid $2 & exit 7"; echo $?`,
			`"$0" $1 --quiet -- sh -c "setsid $2 & echo begun >begun; exec $2" &
			read -r x; kill -9 $!; wait $!; echo $?`,
		} {
			word := fmt.Sprintf("%d.%d", 3000+10*i+j, os.Getpid())
			cmd := abroad(t, `sleep 9`+word+` & `+end+`; read -r x`, tier, "sleep "+word)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if j == 1 {
				for began := time.Now(); !running(word) && time.Since(began) < time.Minute; {
					time.Sleep(5 * time.Millisecond)
				}
				fmt.Fprintln(in)
			}
			said := make(chan string)
			go func() {
				line, _ := bufio.NewReader(out).ReadString('\n')
				said <- line
			}()
			select {
			case line := <-said:
				if want := []string{"7\n", "137\n"}[j]; line != want {
					t.Errorf("%s: %q, want %q", tier, line, want)
				}
			case <-time.After(time.Minute):
				t.Errorf("%s: %s: it does not end", tier, end)
			}
			for began := time.Now(); running(word) && time.Since(began) < 20*time.Second; {
				time.Sleep(5 * time.Millisecond)
			}
			if running(word) || !running("9"+word) {
				t.Errorf("%s: %s: its own runs: %v, another: %v", tier, end, running(word), running("9"+word))
			}
			in.Close()
			_ = cmd.Process.Kill() // and with it its namespace
			_ = cmd.Wait()
		}
	}
}
