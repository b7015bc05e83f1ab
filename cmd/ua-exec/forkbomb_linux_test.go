package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestForkBombNested has a command at tier 2, where root's processes have no limit of the
// kernel's, start too many: ua-exec ends it by its count, and the next command runs. All of
// it is in a sandbox whose process numbers end at 400, which they never reach.
func TestForkBombNested(t *testing.T) {
	scripttest.NeedTier(t, "4")
	bin := scripttest.Bin(t)
	in := filepath.Join(t.TempDir(), "in.jsonl")
	events := lines(
		task{command: "for i in $(seq 200); do sleep 60 & done; sleep 30",
			input: `,"timeout_ms":60000`},
		task{command: "echo runs | cat"})
	if err := os.WriteFile(in, []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "ua-sandbox"), "--quiet", "--tier", "4",
		"--pids", "400", "--read", in, "--env", "PATH="+bin+":"+os.Getenv("PATH"), "--", "sh", "-c",
		`unset UA_SANDBOX; ua-sandbox --quiet --tier 2 -- ua-exec --pids-max 60 <"$0"`, in)
	cmd.Dir = outside(t)
	out, err := cmd.CombinedOutput()
	var list []gjson.Result
	for line := range strings.Lines(string(out)) {
		if r := gjson.Parse(line); r.Get("type").Str == "tool_result" {
			list = append(list, r)
		}
	}
	if err != nil || len(list) != 2 ||
		list[0].Get("limit").Str != "pids" || list[0].Get("tier").Int() != 2 ||
		!strings.HasPrefix(text(list[1]), "runs") {
		t.Errorf("%v: %.2000s", err, out)
	}
}
