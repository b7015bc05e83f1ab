package run

import (
	"path/filepath"

	"ua/internal/common/xdg"
)

// SandboxTmp begins the names of the folders in TMPDIR that sandboxes have for their tmp. A
// sandbox removes its own, and those of others that were killed.
const SandboxTmp = "ua-sandbox-"

// SandboxNotes returns the folder of what ua-sandbox --last-look needs.
func SandboxNotes() string { return filepath.Join(xdg.State(), "sandboxes") }
