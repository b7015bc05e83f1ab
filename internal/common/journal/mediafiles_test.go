package journal

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/event"
)

func TestMedia(t *testing.T) {
	dir := t.TempDir()
	data := base64.StdEncoding.EncodeToString([]byte("\x89PNG and so on"))
	for _, c := range []struct {
		line  string
		moved int
	}{
		{`{"type":"tool_result","call_id":"a","media":[{"media_type":"image/png","data":"` + data +
			`"}],"x":1}`, 1},
		{`{"type":"tool_result","media":[ {"name":"n","data":"` + data +
			`","media_type":"image/png"}, {"media_type":"audio/wav","data":"` + data + `"} ]}`, 2},
		{`{"type":"instruction","attachments":[{"media_type":"text/plain","text":"t"},` +
			`{"media_type":"application/pdf","data":"` + data + `"}]}`, 1},
		{`{"type":"tool_result","media":[{"media_type":"image/png","data": "` + data + `"}]}`, 0},
		{`{"type":"tool_result","media":[{"media_type":"image/png","data":"not base64!"}]}`, 0},
		{`{"type":"tool_result","media":[{"media_type":"image/png","data":"QQ=="},{"data":7},8]}`, 1},
		{`{"type":"tool_result","media":[{"media_type":"image/png","data":"QR=="}]}`, 0},
		{`{"type":"tool_result","media":"` + data + `"}`, 0},
		{`{"type":"other","media":[{"media_type":"image/png","data":"` + data + `"}]}`, 0},
	} {
		kept, err := Detach([]byte(c.line), dir, true)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(kept), `"ref":"media/`); n != c.moved || n != len(Refs(kept)) {
			t.Errorf("%s: %d moved, want %d: %s", c.line, n, c.moved, kept)
		}
		if back, err := Embed(kept, dir); err != nil || string(back) != c.line {
			t.Errorf("%s came back as %s (%v)", c.line, back, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "media", "*")); len(files) != 4 {
		t.Errorf("%d files, want one for each content and type: %v", len(files), files)
	}
}

func TestMediaChecked(t *testing.T) {
	dir := t.TempDir()
	line := `{"type":"tool_result","media":[{"media_type":"image/png","data":"QUJD"}]}`
	kept, err := Detach([]byte(line), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Refs(kept)[0])
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	os.WriteFile(path, []byte("other"), 0o600)
	if back, err := Embed(kept, dir); err == nil || string(back) != string(kept) {
		t.Errorf("changed content came back: %s", back)
	}
	os.Remove(path)
	if err := os.Symlink("/etc/hostname", path); err != nil {
		t.Fatal(err)
	}
	if back, err := Embed(kept, dir); err == nil || string(back) != string(kept) {
		t.Errorf("a link was followed: %s", back)
	}
	out := `{"type":"tool_result","media":[{"ref":"media/` + strings.Repeat("../", 21) +
		`etc/passwd.x"}]}`
	if back, err := Embed([]byte(out), dir); err != nil || string(back) != out {
		t.Errorf("%s, %v", back, err)
	}
}

func FuzzEmbed(f *testing.F) {
	dir := f.TempDir()
	f.Add(`{"type":"tool_result","media":[{"media_type":"image/png","data":"QUJD"}]}`)
	f.Add(`{"type":"instruction","attachments":[{"data":"QUJD","data":"QUJD"},` +
		`{"ref":"media/x","data":"QQ=="}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		if !event.Valid([]byte(line)) {
			return
		}
		kept, err := Detach([]byte(line), dir, false)
		if err != nil || strings.Contains(line, `"ref"`) {
			return
		}
		if back, err := Embed(kept, dir); err != nil || string(back) != line {
			t.Errorf("%s was kept as %s and came back as %s (%v)", line, kept, back, err)
		}
	})
}
