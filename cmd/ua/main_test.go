package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
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

// The short help is one screen of 80 columns and 24 rows, the prompt's among them, and has
// each verb that people type.
func TestShortHelp(t *testing.T) {
	lines := strings.Split(shortHelp, "\n")
	if len(lines) > 23 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 79 {
			t.Error(line)
		}
	}
	for verb := range verbs() {
		if strings.HasSuffix(about(verb), "see man ua") != (verb == "far" || verb == "complete") {
			t.Error(verb)
		}
	}
}

// A word that is a program's whose manual is here, or a verb elsewhere, is no task by itself.
func TestMeant(t *testing.T) {
	for _, word := range []string{"race", "doctor", "journal-index", "ls", "rm"} {
		if meant([]string{word}) == nil || meant([]string{word, "last"}) == nil {
			t.Errorf("%s is a task", word)
		}
		if err := meant([]string{word, "the", "server"}); err != nil {
			t.Error(err)
		}
	}
	for _, word := range []string{"policy.5", "engines", "hello", "RACE"} {
		if err := meant([]string{word}); err != nil {
			t.Error(err)
		}
	}
}

// Each verb's --help is its own usage with the options in it.
func TestHelpOf(t *testing.T) {
	for verb := range verbs() {
		text := helpOf(verb)
		usage, options, _ := strings.Cut(text, "\n\n")
		if !strings.HasPrefix(usage, "usage: ua ") || !strings.Contains(usage, verb) ||
			!strings.Contains(options, "--help") || len(text) > 1600 {
			t.Errorf("%s: %s", verb, text)
		}
		named := regexp.MustCompile(`\[(--?[a-z][a-z-]*)`)
		for _, option := range named.FindAllStringSubmatch(usage, -1) {
			if !regexp.MustCompile(`(?m)^ .*` + option[1] + `[ ,\n]`).MatchString(options + "\n") {
				t.Errorf("%s: no %s in %s", verb, option[1], options)
			}
		}
	}
	for verb, not := range map[string]string{"info": "-r RUN", "ps": "ua gc", "wait": "--budget",
		"undo": "work trees", "gc": "overwrite", "stop": "job"} {
		if strings.Contains(helpOf(verb), not) {
			t.Errorf("%s: %s", verb, helpOf(verb))
		}
	}
	for _, verb := range []string{"resume", "fork"} {
		text := helpOf(verb)
		if !strings.Contains(text, "ua --help lists them") || len(text) > 600 ||
			strings.Contains(text, "--at N") != (verb == "fork") {
			t.Errorf("%s: %s", verb, text)
		}
	}
}
