package terminal

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
)

// guarding is what the guard runs: a shell, because it is a fifth of our size.
// It keeps the terminal's modes, notes those that we set, and waits for a word.
// When its pipe ends without one we were killed: if the modes are still ours it
// restores the terminal, and it removes the session's folder. It is in a session
// of its own, where no signal of the terminal reaches it and stty(1) is never
// stopped.
const guarding = `saved=$(stty -g) || exit
echo kept
read -r _ <&3 && raw=$(stty -g)
read -r _ <&3 && exit
[ "$(stty -g 2>/dev/null)" != "$raw" ] || { stty "$saved"; printf '\033[?2004l\033[?25h' >&0; } 2>/dev/null
[ -z "$1" ] || rm -rf -- "$1"
[ -z "$2" ] || rmdir -- "$2/sub" "$2" 2>/dev/null`

// A Guard restores the terminal when we can't: after SIGKILL.
type Guard struct {
	cmd   *exec.Cmd
	words *os.File
	kept  *os.File
}

// NewGuard starts a guard of the terminal, of a folder, which it removes, and of a
// run's folder, which it removes if that is empty; "" for none. Without sh or stty
// there is no guard, and no error.
func (t *Terminal) NewGuard(folder, run string) *Guard {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	kr, kw, err := os.Pipe()
	if err != nil {
		w.Close()
		return nil
	}
	defer kw.Close()
	g := &Guard{cmd: exec.Command("/bin/sh", "-c", guarding, "ua-shell-guard", folder, run), words: w, kept: kr}
	g.cmd.Stdin, g.cmd.Stdout, g.cmd.ExtraFiles = t.in, kw, []*os.File{r}
	g.cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	g.cmd.Dir = "/"
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := g.cmd.Start(); err != nil {
		w.Close()
		kr.Close()
		return nil
	}
	return g
}

// Ready waits until the guard has kept the terminal's modes: only then may they
// change.
func (g *Guard) Ready() {
	if g != nil {
		bufio.NewReader(g.kept).ReadString('\n')
		g.kept.Close()
	}
}

// Changed tells the guard that the modes are ours now.
func (g *Guard) Changed() {
	if g != nil {
		g.words.WriteString("raw\n")
	}
}

// End ends the guard: there is nothing left to restore.
func (g *Guard) End() {
	if g != nil {
		g.words.WriteString("end\n")
		g.words.Close()
		g.cmd.Wait()
	}
}
