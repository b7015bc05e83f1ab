package agentloop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
	"ua/internal/common/style"
)

// sealDir is the seal in the run's folder, which no command can write. It goes by the globs: a
// run that goes on with others has another one.
func (l *loop) sealDir() string {
	sum := sha256.Sum256([]byte(strings.Join(l.o.Sealed, " ")))
	return filepath.Join(l.run.Dir, fmt.Sprintf("seal-%x", sum[:4]))
}

// seal takes the seal before anything of the run can change what is sealed. A run that goes on
// keeps its seal, and has back what a check that was killed had set aside.
func (l *loop) seal() error {
	if !l.o.seals() {
		return nil
	}
	dir := l.sealDir()
	if l.o.fork {
		old := filepath.Join(l.o.earlierRun.Dir, filepath.Base(dir))
		if _, err := os.Stat(old); err == nil {
			_ = exec.Command("cp", "-pPR", "--", old, dir).Run()
		}
	}
	_, err := os.Stat(filepath.Join(dir, "seal.json"))
	taken := err == nil
	c, err := stage.Builtin("ua-seal", "take", dir, strings.Join(l.o.Sealed, " "))
	if err == nil && taken && l.o.tries() {
		c, err = l.inTry(c)
	}
	if err != nil {
		return err
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	var said bytes.Buffer
	cmd.Env, cmd.Stderr = append(c.Env, "PATH="+l.o.path), &said
	line, err := cmd.Output()
	if err != nil {
		return prog.Errorf(prog.Trouble, "--sealed: %s", style.FirstLine(strings.TrimPrefix(
			said.String(), "ua-seal: "), 400))
	}
	for warning := range strings.Lines(said.String()) {
		l.env.Warnf("--sealed: %s", strings.TrimPrefix(strings.TrimSpace(warning), "ua-seal: "))
	}
	if !taken {
		l.proof.seal = bytes.TrimSpace(line)
	}
	return l.readSeal()
}

// protectMax is how many sealed paths get a mount each that keeps them. ua-seal watches all.
const protectMax = 500

// readSeal reads which paths the sandbox of a check is to keep.
func (l *loop) readSeal() error {
	text, err := os.ReadFile(filepath.Join(l.sealDir(), "seal.json"))
	if err != nil {
		return prog.Errorf(prog.Trouble, "--sealed: %v", err)
	}
	list := event.Strings(text, "protect")
	for _, path := range list[:min(len(list), protectMax)] {
		l.proof.protect = append(l.proof.protect, filepath.Join(event.Str(text, "dir"), path))
	}
	return nil
}

// inSeal puts ua-seal around the stage that runs a check.
func (l *loop) inSeal(c stage.Command) (stage.Command, error) {
	around, err := stage.Builtin("ua-seal", "hold", l.sealDir(), "--")
	c.Argv = append(around.Argv, c.Argv...)
	return c, err
}

// noteSeal takes from a check's event which sealed paths the run has changed, and returns why
// the check has failed if it was it that changed some.
func (l *loop) noteSeal(check []byte) (failure string) {
	l.proof.changed = event.Strings(check, "changed")
	touched := event.Strings(check, "touched")
	if len(touched) == 0 {
		return ""
	}
	return "the check changed sealed paths: " + style.FirstLine(strings.Join(touched, ", "), 200)
}

// tellChanged says which sealed paths the run has changed, in the answer, too.
func (l *loop) tellChanged() {
	if len(l.proof.changed) == 0 {
		return
	}
	text := "sealed paths were changed; the checks saw them as they were: " +
		style.FirstLine(strings.Join(l.proof.changed, ", "), 400)
	l.show.Warn(text)
	if l.o.Schema != "" {
		return
	}
	block := map[string]string{"type": "text", "text": "\n\n[" + text + "]"}
	if line, err := sjson.SetBytes(l.proof.answer, "content.-1", block); err == nil {
		l.proof.answer = line
	}
}
