package agentloop

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/runtry"
	"ua/internal/common/style"
)

// askTry asks the person on the terminal what to do with the try, until it is applied,
// dropped or kept. Without a terminal it does nothing.
func askTry(t *runtry.Try, stderr io.Writer) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer tty.Close()
	lines := bufio.NewReader(tty)
	for {
		fmt.Fprint(tty, "  [y] apply [n] drop [v] view the diff [q] keep for later [?] help > ")
		answer, err := lines.ReadString('\n')
		if answer = strings.TrimSpace(answer); err != nil {
			answer = "q"
		}
		verb := ""
		switch answer {
		case "y", "yes":
			verb = "apply"
		case "n", "no":
			verb = "drop"
		case "v":
			verb = "diff"
		case "q":
			fmt.Fprintln(tty, "kept: ua try diff | apply | drop")
			return
		case "?":
			fmt.Fprint(tty, "  y  do in the folder what the commands did in the try\n"+
				"  n  throw away what they did\n  v  view what they changed\n"+
				"  q  keep the try for ua try diff, apply and drop\n")
			continue
		default:
			fmt.Fprintf(tty, "  %s is not an answer; ? lists them.\n",
				style.FirstLine(cmp.Or(answer, "Enter"), 20))
			continue
		}
		cmd := exec.Command(prog.Sibling("ua-try"), verb, t.Link)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, stderr
		if err := cmd.Run(); err == nil && verb != "diff" {
			return
		}
	}
}
