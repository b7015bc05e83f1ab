package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// packages returns the folder with the protocol's own programs from npm, which make test-mcp
// fetches, and how to run ua-mcp with settings.
func packages(t *testing.T) (folder string, run func(settings string, args ...string) string) {
	folder = os.Getenv("UA_TEST_MCP")
	if folder == "" {
		scripttest.Skip(t, scripttest.NoData,
			"UA_TEST_MCP names no folder for the protocol's packages (make test-mcp)")
	}
	home, err := os.MkdirTemp("/var/lib", "ua-mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return folder, func(settings string, args ...string) string {
		config := filepath.Join(home, "config.toml")
		if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(filepath.Join(scripttest.Bin(t), "ua-mcp"), args...)
		c.Dir, c.Env = home, append(os.Environ(), "HOME="+home, "UA_CONFIG="+config)
		out, _ := c.CombinedOutput()
		return string(out)
	}
}

// TestServers asks the servers of the protocol's own repository.
func TestServers(t *testing.T) {
	folder, run := packages(t)
	node := filepath.Join(folder, "node_modules/node/bin/node")
	server := func(name, more string) string {
		return fmt.Sprintf("[mcp.s]\ncommand = [%q, %q, \"stdio\"]\n%s\n", node, filepath.Join(folder,
			"node_modules/@modelcontextprotocol/server-"+name+"/dist/index.js"), more)
	}
	files := strings.Replace(server("filesystem", ""), `"stdio"`, fmt.Sprintf("%q", folder), 1)
	repository := filepath.Join(folder, "repository")
	git := fmt.Sprintf("[mcp.s]\ncommand = [%q, \"-m\", \"mcp_server_git\"]\n",
		filepath.Join(folder, "python/bin/python"))
	os.RemoveAll(repository)
	if out, err := exec.Command("git", "init", "-q", repository).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	memory := t.TempDir()
	kept := fmt.Sprintf("env = { MEMORY_FILE_PATH = %q }\nwrite = [%q]", memory+"/m.jsonl", memory)
	for _, c := range []struct{ settings, args, want string }{
		{server("everything", ""), "s", "s: 13 tools; "},
		{server("everything", ""), "s|echo|--message|a b", "Echo: a b\n"},
		{server("everything", ""), "s|get-sum|--a|1|--b|2", "is 3"},
		{server("everything", ""), "s|trigger-long-running-operation|--duration|1|--steps|2",
			"s: 1/2"},
		{server("everything", ""), "s|get-tiny-image", "image/png: "},
		{server("everything", ""), "s|prompt", "simple-prompt"},
		{files, "s|list_directory|--path|" + folder, "package.json"},
		{files, "s|read_text_file|--path|/etc/passwd", "Access denied"},
		{files, "s|write_file|--path|" + folder + "/x|--content|y", "EROFS"},
		{server("memory", kept), `s|create_entities|--entities|[{"name":"a","entityType":"b",` +
			`"observations":[]}]`, `"name": "a"`},
		{server("memory", kept), "s|search_nodes|--query|a", `"name": "a"`},
		{git, "s|git_status|--repo_path|" + repository, "nothing to commit"},
		{git, "s|git_create_branch|--branch_name|b|--repo_path|" + repository, "Error executing tool"},
	} {
		if out := run(c.settings, strings.Split(c.args, "|")...); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s", c.args, out)
		}
	}
}

// TestConformance holds ua-mcp to the protocol's own suite, as a client. What a server may ask
// of a person, and OAuth, are not offered.
func TestConformance(t *testing.T) {
	folder, _ := packages(t)
	client := filepath.Join(t.TempDir(), "client")
	for scenario, words := range map[string]string{"initialize": "",
		"tools_call": "add_numbers --a 2 --b 3", "sse-retry": "test_reconnection"} {
		script := fmt.Sprintf("#!/bin/sh\nprintf '[mcp.s]\\nurl = \"%%s\"\\n' \"$1\" >%s.toml\n"+
			"export UA_CONFIG=%[1]s.toml\n%[2]s s && %[2]s s %[3]s\n", client,
			filepath.Join(scripttest.Bin(t), "ua-mcp"), words)
		if err := os.WriteFile(client, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(filepath.Join(folder, "node_modules/node/bin/node"), filepath.Join(folder,
			"node_modules/@modelcontextprotocol/conformance/dist/index.js"), "client",
			"--command", client, "--scenario", scenario)
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "OVERALL: PASSED") {
			t.Errorf("%s: %v\n%.3000s", scenario, err, out)
		}
	}
}

// TestServeConformance holds the server to the suite, which wants HTTP: each request goes to
// a ua-mcp of its session by standard input, and the line with its id is the answer. Other
// scenarios want tools of the suite's own.
func TestServeConformance(t *testing.T) {
	folder, _ := packages(t)
	for _, scenario := range []string{"server-initialize", "ping", "tools-list"} {
		c := exec.Command(filepath.Join(folder, "node_modules/node/bin/node"), filepath.Join(folder,
			"node_modules/@modelcontextprotocol/conformance/dist/index.js"), "server", "--url",
			overHTTP(t), "--scenario", scenario)
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "0 failed") {
			t.Errorf("%s: %v\n%.3000s", scenario, err, out)
		}
	}
}

// overHTTP starts a server and returns where it answers.
func overHTTP(t *testing.T) string {
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-mcp"), "serve")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		fmt.Fprintf(in, "%s\n", body)
		if !gjson.GetBytes(body, "id").Exists() {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		line, _ := lines.ReadString('\n')
		io.WriteString(w, line)
	}))
	t.Cleanup(func() {
		server.Close()
		in.Close()
		cmd.Wait()
	})
	return server.URL
}
