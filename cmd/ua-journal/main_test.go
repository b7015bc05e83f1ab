package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ua/internal/test/scripttest"
)

func TestScripts(t *testing.T) {
	scripttest.Run(t, func(e *testscript.Env) error {
		return os.Chmod(e.WorkDir, 0o700)
	})
}
