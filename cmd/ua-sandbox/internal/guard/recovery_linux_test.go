package guard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ua/internal/common/prog"
)

// TestNoteAtOnce leaves notes while others look for those of killed sandboxes: each is there,
// whole, and held as long as its sandbox lives.
func TestNoteAtOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, ok := notesDir()
	if !ok {
		t.Fatal("no folder of notes")
	}
	n := &Look{Write: slices.Repeat([]string{"/some/folder"}, 1000)}
	env := &prog.Env{Name: "test", Stderr: os.Stderr}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			default:
				MakeUp(env, nil, "")
			}
		}
	}()
	for range 300 {
		file := writeNote(n)
		if file == nil {
			t.Error("no note")
			continue
		}
		var got Look
		notes, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(notes) != 1 {
			t.Errorf("notes: %v", notes)
		} else if text, err := os.ReadFile(notes[0]); err != nil || json.Unmarshal(text, &got) != nil ||
			len(got.Write) != len(n.Write) {
			t.Errorf("%v: %d bytes", err, len(text))
		}
		removeNote(file)
	}
	close(over)
	<-ended
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
