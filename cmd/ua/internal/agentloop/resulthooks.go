package agentloop

import (
	"os"
	"path/filepath"
	"regexp"

	"ua/internal/common/safefile"
	"ua/internal/common/stage"
	"ua/internal/common/xdg"
)

// watched reports whether the user's policy has hooks that ua-gate watch runs.
func watched() bool {
	text, err := safefile.Read(safefile.Follow(filepath.Join(xdg.Config(), "policy.toml")), 16<<20)
	return err == nil && regexp.MustCompile(watchedHooks).Match(text)
}

// watchedHooks matches every table of hooks except pre_exec, which ua-gate itself runs.
const watchedHooks = `(?m)^\s*\[\[\s*hooks\s*\.\s*(post_exec|session_|subagent_)`

// startWatcher starts ua-gate watch in front of the journal's writer. What its hooks
// change in a result is then what is kept and what the model sees.
func startWatcher(in *os.File) (watcher *stage.Stage, out *os.File, err error) {
	c, err := stage.Builtin("ua-gate", "watch")
	if err != nil {
		return nil, nil, err
	}
	between, err := stage.Pipe()
	if err != nil {
		return nil, nil, err
	}
	watcher, err = c.Start(in, between.W, nil)
	return watcher, between.R, err
}
