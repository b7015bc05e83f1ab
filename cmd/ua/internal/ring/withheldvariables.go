package ring

import (
	"os"
	"strings"

	"ua/internal/common/run"
	"ua/internal/common/secret"
)

// withheld returns the names of the first five variables that commands do not get because
// they look like secrets.
func withheld() string {
	_, names := secret.Environ(os.Environ(), []string{run.EnvToken})
	return strings.Join(names[:min(len(names), 5)], " ")
}
