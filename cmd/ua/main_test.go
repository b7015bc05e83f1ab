package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ua/internal/common/modeltest"
	"ua/internal/common/scripttest"
)

func TestScripts(t *testing.T) {
	scripttest.Need(t, "bash", "make", "jq")
	scripttest.Run(t, func(e *testscript.Env) error {
		m := modeltest.New(e.WorkDir)
		server := httptest.NewServer(m)
		e.Defer(func() {
			server.CloseClientConnections()
			server.Close()
		})
		root, err := filepath.Abs("../..")
		if err != nil {
			return err
		}
		e.Setenv("ROOT", root)
		e.Setenv("ANTHROPIC_BASE_URL", server.URL)
		e.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
		e.Setenv("ANTHROPIC_API_KEY", "sk-ant-test-key-0123456789")
		e.Setenv("OPENAI_API_KEY", "sk-test-key-0123456789")
		e.Setenv("UA_MODEL", "anthropic/fake")
		e.Setenv("NO_COLOR", "1")
		return os.WriteFile(filepath.Join(e.WorkDir, "note.txt"), []byte("one\ntwo\nthree\n"), 0o644)
	})
}
