package prog_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// TestMadeNonblocking has another program make the pipes non-blocking that a stage has for
// its input and output, while nobody reads: no line is cut or lost.
func TestMadeNonblocking(t *testing.T) {
	bin := scripttest.Bin(t)
	for name, argv := range map[string][]string{
		"gate": {"ua-gate"}, "watch": {"ua-gate", "watch"}, "exec": {"ua-exec", "--unconfined"},
		"journal": {"ua-journal", "append", "--tee", "./j.jsonl"},
	} {
		inR, inW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		outR, outW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(bin, argv[0]), argv[1:]...)
		cmd.Dir = t.TempDir()
		os.Chmod(cmd.Dir, 0o700)
		cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + os.Getenv("PATH")}
		var stderr strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		event := func(i int) string {
			return fmt.Sprintf(`{"type":"x","n":%d,"text":"%s"}`+"\n", i, strings.Repeat("x", 5000))
		}
		io.WriteString(inW, event(0))
		out := bufio.NewReader(outR)
		if line, err := out.ReadString('\n'); err != nil || line != event(0) {
			t.Errorf("%s: %q, %v", name, line, err)
		}
		// These are the program's open files too, though not its descriptors.
		for _, f := range []*os.File{inR, outW} {
			if err := syscall.SetNonblock(int(f.Fd()), true); err != nil {
				t.Fatal(err)
			}
			f.Close()
		}
		const n = 300
		go func() {
			for i := 1; i <= n; i++ {
				io.WriteString(inW, event(i))
			}
			inW.Close()
		}()
		time.Sleep(200 * time.Millisecond) // the pipe is full
		for i := 1; i <= n; i++ {
			if line, err := out.ReadString('\n'); err != nil || line != event(i) {
				t.Errorf("%s: event %d: %.40q, %v", name, i, line, err)
				break
			}
		}
		io.Copy(io.Discard, out) // a reader that goes would end it
		outR.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v: %s", name, err, stderr.String())
		}
		inW.Close()
	}
}
