package agent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ua/internal/common/config"
)

// compose has the person write a text in $VISUAL, $EDITOR or vi, beginning with the given
// one. It returns "" for none, and where the editor fails.
func (a *Agent) compose(text string) string {
	// An editor obeys files of the folder that it works in, and it runs outside of the
	// sandbox of a confined shell: so it has a folder of its own.
	dir, err := os.MkdirTemp("", "ua-shell-edit-")
	if err != nil {
		a.screen.Say("%v", err)
		return ""
	}
	defer os.RemoveAll(dir)
	f, err := os.Create(filepath.Join(dir, "ua.sh"))
	if err != nil {
		a.screen.Say("%v", err)
		return ""
	}
	if text != "" {
		f.WriteString(text + "\n")
	}
	f.Close()
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	a.screen.EndLine()
	err = a.LendTerminal(func() error {
		// By way of sh, since the variable may hold arguments too.
		cmd := exec.Command("/bin/sh", "-c", editor+` "$1"`, "sh", f.Name())
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = os.Stdin, os.Stdout, os.Stderr, dir
		cmd.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
		return cmd.Run()
	})
	if err != nil {
		a.screen.Say("%s: %v", editor, err)
		return ""
	}
	changed, _ := os.ReadFile(f.Name())
	return strings.TrimSpace(string(changed))
}
