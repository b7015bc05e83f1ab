package scripttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Agents returns the folder of the packages of real agents, some 1 GB, that UA_TEST_AGENTS names.
// make test-agents sets it; without it the test is skipped.
func Agents(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("UA_TEST_AGENTS")
	if folder == "" {
		Skip(t, NoData, "UA_TEST_AGENTS names no folder for the agents' packages (make test-agents)")
	}
	Need(t, "npm", "node")
	return folder
}

// Agent returns the program of an agent from its package, which npm puts into the agent's folder
// if it is not there.
func Agent(t *testing.T, folder, pkg, program string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(folder, "node_modules", ".bin", program))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		cmd := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder,
			pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			Skip(t, Missing, "npm can't install %s: %v\n%s", pkg, err, out)
		}
	}
	return path
}
