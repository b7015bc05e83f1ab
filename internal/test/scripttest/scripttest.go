// Package scripttest runs testscript files (testdata/*.txtar) with the real programs.
// Only tests import it.
package scripttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// build returns the folder with all programs, which it builds once.
var build = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("UA_TEST_BIN"); dir != "" {
		return dir, nil
	}
	removeOld()
	dir, err := os.MkdirTemp("", "ua-bin")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-ldflags", "-X ua/internal/common/prog.version=test", "-o",
		dir+"/", "ua/cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
	}
	return dir, os.Chmod(dir, 0o755)
})

// removeOld removes programs that earlier test processes have built. Nothing tells a
// process that its last test is over.
func removeOld() {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), "ua-bin*"))
	for _, dir := range old {
		if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(dir)
		}
	}
}

// Bin returns a folder with all programs, built from this tree: $UA_TEST_BIN, which the
// Makefile sets, or a temporary one. The programs and their tests look at processes, so
// Bin skips the test if /proc belongs to another namespace or is missing.
func Bin(t testing.TB) string {
	t.Helper()
	pid, _ := os.Readlink("/proc/self")
	if runtime.GOOS == "linux" && pid != strconv.Itoa(os.Getpid()) {
		Skip(t, Refused, "/proc is not that of this process, which it calls %q", pid)
	}
	dir, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Run runs the scripts testdata/*.txtar in the package's folder. The programs are first
// on PATH, and each script has a home beside its working folder: without namespaces, a
// folder that holds the home takes no new files. setup, if not nil, adds to a script's
// environment. The condition [namespaces] of a script holds if the sandbox gets
// namespaces.
func Run(t *testing.T, setup func(*testscript.Env) error) {
	bin, files := Bin(t), scripts(t)
	if len(files) == 0 {
		return // all were skipped
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(word string) (bool, error) {
			if word != "namespaces" {
				return false, fmt.Errorf("unknown condition %q", word)
			}
			return sandbox(t, "--tier", "3", "--", "true").Run() == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			home := e.WorkDir + ".home"
			e.Defer(func() { os.RemoveAll(home) })
			e.Setenv("HOME", home)
			e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, ".tmp"))
			if err := os.MkdirAll(home, 0o700); err != nil || setup == nil {
				return err
			}
			return setup(e)
		},
	})
}

// scripts returns the package's scripts. The one named try needs ua-try, and is skipped
// without it.
func scripts(t *testing.T) (files []string) {
	for _, file := range mustGlob("testdata/*.txtar") {
		if filepath.Base(file) == "try.txtar" {
			if why := TriesRefused(t); why != "" {
				t.Run("try", func(t *testing.T) { Skip(t, Refused, "%s", why) })
				continue
			}
		}
		files = append(files, file)
	}
	return files
}

// mustGlob returns the files of the pattern.
func mustGlob(pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil {
		panic(err)
	}
	return files
}
