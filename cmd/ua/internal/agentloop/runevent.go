package agentloop

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ua/cmd/ua/internal/memory"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// runEvent returns the event that begins a run (ua-events(5), run).
func runEvent(o *options, t *task, id, traceparent string) []byte {
	cwd, _ := syscall.Getwd() // without links, so that a run which goes on sees new ones
	e := event.New("run").Str("id", id)
	if o.parent != "" {
		e.Str("parent", filepath.Base(o.parent))
	}
	if o.background {
		e.Bool("background", true)
	}
	return e.Int("depth", int64(o.depth)).Str("task", t.text).OptStr("agent", o.Agent).
		OptStr("isolation", o.Isolation).OptStr("model", o.Model).Str("cwd", cwd).
		Str("project", projectOf(o.workspace)).
		OptStr("via", o.via).OptStr("mode", o.def.Mode).
		OptStr("tools", strings.Join(o.def.Tools, " ")).
		OptStr("not_tools", strings.Join(o.def.NotTools, " ")).Raw("limits", o.bounds()).
		Raw("options", o.record()).Int("pid", int64(os.Getpid())).Str("traceparent", traceparent).
		Str("version", prog.Version()).Line()
}

// bounds returns the limits of the run as a JSON object, without those that are not set.
func (o *options) bounds() []byte {
	b, _ := json.Marshal(struct { // an amount is finite
		Turns       int   `json:"max_turns"`
		Commands    int   `json:"max_commands"`
		TimeLimitMS int64 `json:"time_limit_ms,omitempty"`
		spending.Budget
	}{o.Limits.Turns, o.Limits.Commands, time.Duration(o.TimeLimit).Milliseconds(), o.Limits.Budget})
	return b
}

// traceparent returns the traceparent of this run: a new span in the caller's trace or,
// without a valid one, in a new trace (W3C Trace Context).
func traceparent() string {
	var b [24]byte
	rand.Read(b[:])
	trace := hex.EncodeToString(b[:16])
	if parts := strings.Split(os.Getenv(run.EnvTrace), "-"); len(parts) == 4 &&
		len(parts[1]) == 32 && strings.Trim(parts[1], "0123456789abcdef") == "" {
		trace = parts[1]
	}
	return fmt.Sprintf("00-%s-%s-01", trace, hex.EncodeToString(b[16:]))
}

// projectOf returns the root of the repository that a folder is in, or the folder itself.
func projectOf(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return memory.Folders(dir)[0]
}
