// Package editor has a person change a text in an editor of their own.
package editor

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// Edit starts $VISUAL, $EDITOR or vi at a terminal, with the text, and returns what it has become
// without newlines at its end. It runs outside of every sandbox, and obeys files of the folder
// that it works in: so it has one of its own.
func Edit(in, out *os.File, text string) (string, error) {
	dir, err := os.MkdirTemp("", "ua-edit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ua.sh")
	if text != "" {
		text += "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	// By way of sh, since the variable may hold arguments too.
	line := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), "vi")
	cmd := exec.Command("/bin/sh", "-c", line+` "$1"`, "sh", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = in, out, out, dir
	cmd.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %v", line, prog.Cause(err))
	}
	changed, err := os.ReadFile(path)
	return strings.TrimRight(string(changed), "\n"), err
}
