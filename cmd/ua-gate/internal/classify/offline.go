package classify

import "strings"

// offline lowers a program that fetches where it is told to fetch nothing: it takes what
// this machine has, and builds with it or puts it in its place.
func (a *argv) offline() {
	if a.base != network || a.row.level != network ||
		inList(" docker inside kubectl ", a.row.reader) || a.row.facts&factRemote != 0 {
		return
	}
	for _, wd := range a.words[:len(a.words)-len(a.rest)] {
		switch wd.text {
		case "--":
			return
		case "--check", "--locked", "--frozen", "--lock":
			if strings.HasSuffix(a.name, " lock") || strings.HasSuffix(a.name, " check") {
				a.base = buildTest // it says whether the lock file fits
				return
			}
		case "--no-deps":

		case "--no-index":
			return
		case "--offline", "-offline", "--offline=true", "--offline-scan", "--no-network":
			last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
			if level, _ := taskLevel(last); level > readOnly ||
				inList(" put post sync-up mirror sign notarize yank owner ", last) {
				return
			}
			a.base = buildTest
			if inList(" install i ci add sync update upgrade remove restore get vendor pull fetch "+
				"download dlx ", last) {
				a.base = write
			}
			return
		}
	}
}

// onlyPlans reports whether a flag has a runner of tasks say what it would run.
func (a *argv) onlyPlans() bool {
	for i, wd := range a.words[:len(a.words)-len(a.rest)] {
		switch wd.text {
		case "--":
			return false
		case "--dry-run", "--dryrun", "--dry", "--just-print", "--recon", "--list-tasks", "--list-tests",
			"-DdryRun", "-DdryRun=true":
			return true
		case "-n":
			return inList(" just make gmake rake task ninja samu mage bazel ", a.name) && i < 4
		}
	}
	return false
}
