package run

import (
	"path/filepath"

	"ua/internal/common/xdg"
)

// SandboxTmp begins the names of the folders in TMPDIR that sandboxes use as their tmp. A
// sandbox removes its own, and those of sandboxes that were killed.
const SandboxTmp = "ua-sandbox-"

// SandboxNotes returns the folder of the notes for ua-sandbox --last-look.
func SandboxNotes() string { return filepath.Join(xdg.State(), "sandboxes") }
