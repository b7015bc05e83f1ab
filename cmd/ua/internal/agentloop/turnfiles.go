package agentloop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tidwall/sjson"

	"ua/internal/common/prog"
	"ua/internal/common/remove"
	"ua/internal/common/run"
	"ua/internal/common/runtry"
	"ua/internal/common/safefile"
	"ua/internal/common/xdg"
)

// turnsFolder is where a run with a try keeps what the try held before a turn, by its number.
const turnsFolder = "turns"

// upper is the folder of a try with what it has changed, and errCopies why it is not copied.
const upper = "layers/0/upper"

var errCopies = errors.New("all copies of this run may have 512 MiB")

// copiesMax is how many bytes of files all copies of a run's try hold at most: each has all that
// the try has changed so far.
const copiesMax = 512 << 20

// keepFiles keeps what the run's try holds before a turn, if a command may have changed it, for
// ua fork --at.
func (l *loop) keepFiles() {
	if l.turns++; !l.wroteLately || !l.o.tries() || l.o.depth > 0 {
		return
	}
	l.wroteLately = false
	to := filepath.Join(l.run.Dir, turnsFolder, strconv.FormatInt(l.turns, 10))
	if l.copies == 0 { // those from before the run was resumed
		l.copies = remove.Size(filepath.Dir(to))
	}
	size, err := remove.Size(filepath.Join(runtry.Link(l.run), upper)), errCopies
	if l.copies+size <= copiesMax {
		l.copies += size
		err = copyTry(runtry.Link(l.run), to)
	}
	if err != nil {
		_ = os.RemoveAll(to) // an empty one says that there is none
		_ = os.MkdirAll(to, 0o700)
		l.show.Warn("the files before turn " + filepath.Base(to) + " are not kept: " + err.Error())
	}
}

// copyTime is how long the copy of a try may take: a turn waits for it.
const copyTime = 10 * time.Second

// copyTry copies to a new folder what a try is made of. The links, whiteouts and attributes of
// its layer stay what they are to the kernel.
func copyTry(from, to string) error {
	ctx, cancel := context.WithTimeout(context.Background(), copyTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, prog.Lookup("cp"), "-a", "--reflink=auto", "--parents",
		"try.json", upper, to)
	cmd.Dir = from
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		return prog.Errorf(prog.Trouble, "cp: %s%w", said, err)
	}
	return nil
}

// forkTry gives a fork a try of its own with what that of the other run held before the turn at,
// or holds if at is 0. A run goes on in the try that it has a link to. Commands can write the
// folders of subagents' runs, and anybody that of a run elsewhere, so none of these has a try.
func forkTry(from, to run.Run, at int) error {
	real, err := filepath.EvalSymlinks(runtry.Link(from))
	if err != nil || filepath.Dir(safefile.Follow(from.Dir)) != run.Root() {
		return nil // it had none, or that was dropped
	}
	kept, _ := os.ReadDir(filepath.Join(from.Dir, turnsFolder))
	newest, source := 0, real
	for _, e := range kept { // a fork of the fork may begin there, too
		dir := filepath.Join(turnsFolder, e.Name())
		n, _ := strconv.Atoi(e.Name())
		if at > 0 && n > at {
			continue
		}
		if n > newest && at > 0 {
			newest, source = n, filepath.Join(from.Dir, dir)
		}
		_ = os.MkdirAll(filepath.Join(to.Dir, turnsFolder), 0o700)
		_ = exec.Command(prog.Lookup("cp"), "-al", filepath.Join(from.Dir, dir),
			filepath.Join(to.Dir, dir)).Run() // nobody writes them
	}
	if at > 0 && newest == 0 {
		return nil // nothing was changed before
	}
	copied, err := run.New(filepath.Dir(real))
	if err == nil {
		err = copyTry(source, copied.Dir)
	}
	meta := filepath.Join(copied.Dir, "try.json")
	text, _ := safefile.Read(meta, longest)
	if text, _ = sjson.SetBytes(text, "id", copied.ID); err == nil {
		err = os.WriteFile(meta, text, 0o600)
	}
	root := filepath.Join(xdg.State(), "tries")
	if err == nil && filepath.Dir(real) != root {
		err = os.Symlink(copied.Dir, filepath.Join(root, copied.ID))
	}
	if err == nil {
		err = os.Symlink(copied.Dir, runtry.Link(to))
	}
	if err != nil {
		_ = os.RemoveAll(copied.Dir)
		return prog.Errorf(prog.Trouble, "the files of %s: %v", from.ID, err)
	}
	return nil
}
