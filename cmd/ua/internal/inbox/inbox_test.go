package inbox

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/run"
)

func TestSendAndTake(t *testing.T) {
	r := run.Run{ID: "a", Dir: t.TempDir()}
	if list, err := Take(r); len(list) != 0 || err != nil {
		t.Fatal(list, err)
	}
	if err := Send(run.Run{ID: "b", Dir: r.Dir + "/none"}, Message{Text: "x"}); err == nil {
		t.Error("a run that is not there took a message")
	}
	for _, text := range []string{"one", "two\nlines", strings.Repeat("x", TextMax)} {
		if err := Send(r, Message{Text: text, From: "user"}); err != nil {
			t.Fatal(err)
		}
	}
	Send(r, Message{Stop: true, From: "b"})
	list, err := Take(r)
	if err != nil || len(list) != 4 || list[0] != (Message{Text: "one", From: "user"}) ||
		list[1].Text != "two\nlines" || len(list[2].Text) != TextMax || !list[3].Stop {
		t.Errorf("%.200v %v", list, err)
	}
	if list, err := Take(r); len(list) != 0 || err != nil {
		t.Errorf("they come again: %v, %v", list, err)
	}
}

// TestSendOut has links in a subagent's folder lead elsewhere: nothing is left there.
func TestSendOut(t *testing.T) {
	top, away := t.TempDir(), t.TempDir()
	sub := filepath.Join(top, run.SubFolder)
	os.MkdirAll(filepath.Join(sub, "inside"), 0o700)
	os.MkdirAll(filepath.Join(away, "inbox"), 0o700)
	os.Symlink(away, filepath.Join(sub, "folder"))
	os.Symlink(filepath.Join(away, "inbox"), filepath.Join(sub, "inside/inbox"))
	for _, id := range []string{"folder", "inside"} {
		if err := Send(run.Run{ID: id, Dir: filepath.Join(sub, id)}, Message{Text: "x"}); err == nil {
			t.Errorf("%s took a message", id)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(away, "inbox")); len(left) != 0 {
		t.Errorf("%v", left)
	}
	os.Remove(filepath.Join(sub, "inside/inbox"))
	r := run.Run{ID: "inside", Dir: filepath.Join(sub, "inside")}
	if err := Send(r, Message{Text: "x"}); err != nil {
		t.Error(err)
	}
	if list, err := Take(r); len(list) != 1 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// TestTakeJunk leaves nothing that could hang a run, and no message is lost for it.
func TestTakeJunk(t *testing.T) {
	r := run.Run{ID: "a", Dir: t.TempDir()}
	os.Mkdir(folder(r), 0o700)
	syscall.Mkfifo(filepath.Join(folder(r), "0fifo"), 0o600)
	os.Symlink("/dev/zero", filepath.Join(folder(r), "1link"))
	os.Mkdir(filepath.Join(folder(r), "2folder"), 0o700)
	os.WriteFile(filepath.Join(folder(r), "3text"), []byte("no event"), 0o600)
	os.WriteFile(filepath.Join(folder(r), "4event"), []byte(`{"type":"response"}`), 0o600)
	os.WriteFile(filepath.Join(folder(r), "5half.new"), []byte(`{"type":"mess`), 0o600)
	Send(r, Message{Text: "whole", From: "user"})
	list, err := Take(r)
	if len(list) != 1 || list[0].Text != "whole" || err == nil {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := Take(r); len(list) != 0 || err != nil {
		t.Errorf("it is told again: %v, %v", list, err)
	}
}
