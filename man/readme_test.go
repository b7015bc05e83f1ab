package man

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// A recipe is a line of the README as a test runs it: in bash, behind what it needs,
// in a git repository with a report.csv. The model answers every task
// by "ls report.csv" and then "OK, and all is said".
type recipe struct{ begins, before, want string }

// recipes is every command of the README's sections "Use" and "By hand", in order.
var recipes = []recipe{
	{`ua --ask "tidy up`, "", "OK, and all is said"},
	{`ua --try "upgrade`, "", "OK, and all is said"},
	{`ua --atomic "bump`, "", "OK, and all is said"},
	{"dmesg | ua", `dmesg() { echo "disk is on fire"; }; `, "OK, and all is said"},
	{"echo \"summarise", "", "OK, and all is said"},
	{`ua resume last`, "", "OK, and all is said"},
	{`ua --bg "run`, "", "OK, and all is said"},
	{"ua skills; ua mcp", "mkdir -p .agents/skills/a; export UA_CONFIG=$PWD/mcp.toml; " +
		`printf -- '---\ndescription: d\n---\n' >.agents/skills/a/SKILL.md; ` +
		`printf '[mcp.docs]\ncommand = ["true"]\n' >mcp.toml; `, "docs"},
	{"claude mcp add", `claude() { shift 4; { echo ` +
		`'{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-06-18","capabilities":{}}}'; } | "$@"; }; `,
		`"serverInfo"`},
	{"ua record", `printf '#!/bin/sh\necho $OPENAI_BASE_URL' >~/bin/claude; chmod +x ~/bin/claude; `,
		"127.0.0.1:4141"},
	{"ua-acp", `ua-acp() { echo '{"id":1,"method":"initialize"}' | command ua-acp; }; `,
		`"protocolVersion":1`},
	{"ua-shell", "", ""}, // ua-shell's own tests drive a terminal
	{"summary.txt: report.csv", "", ""},
	{"\tua -o $@", "", "summary"},
	{"PATH=", "", ""}, // of the crontab
	{"0 7 * * * ua", "", "OK, and all is said"},
	{"#!/bin/sh", "", ""}, // of the hook that follows
	{"git diff --cached | ua", "echo more >>report.csv; git add report.csv; ", "OK, and all is said"},
	{"ua --exec 'ssh", "", "OK, and all is said"},
	{"ua-sandbox -- npm test", "", "tested"},
	{"ua-gate hook --install", "", "settings.json"},
	{`ua-think "what`, "", `"tool_result"`},
	{"run=$(ua-journal new", "", ""},
	{"ua-journal read $run", `run=$(ua-journal new --task "clean up the build"); `, ""},
	{"printf '%s\\n' \"sudo reboot\"", "", "deny privileged"},
	{"ua-gate explain", "", "curl"},
	{"ua-journal export --html", "set +o noclobber; ", ""},
}

var remark = regexp.MustCompile(`\s{2,}#.*$`)

// readmeCommands is the indented lines of the two sections.
func readmeCommands(t *testing.T) (list []string) {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	in := false
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			in = strings.HasPrefix(title, "Use") || strings.HasPrefix(title, "By hand")
		}
		if code, ok := strings.CutPrefix(line, "    "); in && ok {
			list = append(list, remark.ReplaceAllString(strings.TrimRight(code, "\n"), ""))
		}
	}
	if n := strings.Count(string(text), "\n"); n > 120 {
		t.Errorf("the README has %d lines: at most 120", n)
	}
	return list
}

// TestReadme runs each command of the README.
func TestReadme(t *testing.T) {
	scripttest.Need(t, "bash", "make", "jq", "git")
	home, model := t.TempDir(), t.TempDir()
	write := func(path, text string, mode os.FileMode) {
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	answer := "text: I look.\ncall: ls report.csv\n---\ntext: OK, and all is said\n"
	write(model+"/model", strings.Repeat(answer+"---\n", 4)+answer, 0o644)
	server := httptest.NewServer(modeltest.New(model))
	defer server.Close()
	work := home + "/work"
	write(work+"/report.csv", "a,b\n1,2\n", 0o644)
	write(home+"/bin/npm", "#!/bin/sh\necho tested\n", 0o755)
	ssh := "#!/bin/sh\nshift; exec sh -c \"$(echo \"$*\" | sed \"s:cd [^ ]*:cd " + work + ":\")\"\n"
	write(home+"/bin/ssh", ssh, 0o755)
	write(home+"/.claude/settings.json", "{}", 0o600)
	bash := func(command string) (string, error) {
		cmd := exec.Command("bash", "-c", command)
		cmd.Dir = work
		cmd.Env = []string{"HOME=" + home, "TMPDIR=" + t.TempDir(), "TERM=dumb",
			"PATH=" + scripttest.Bin(t) + ":" + home + "/bin:" + os.Getenv("PATH"),
			"ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=sk-ant-test-key-0123456789",
			"UA_MODEL=anthropic/claude-sonnet-4-5", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := bash("git init -q && git add . && git commit -qm first"); err != nil {
		t.Fatal(out)
	}
	commands := readmeCommands(t)
	if len(commands) != len(recipes) {
		t.Fatalf("the README has %d commands, and %d recipes are tested: %q",
			len(commands), len(recipes), commands)
	}
	for i, command := range commands {
		r := recipes[i]
		if !strings.HasPrefix(command, r.begins) {
			t.Fatalf("the README has %q where the test has %q", command, r.begins)
		}
		if tries.MatchString(command) && scripttest.TriesRefused(t) != "" {
			t.Run("try", func(t *testing.T) { scripttest.NeedTries(t) })
			continue
		}
		switch {
		case strings.HasPrefix(command, "\t"):
			write(work+"/Makefile", commands[i-1]+"\n"+command+"\n", 0o644)
			command = "make summary.txt && cat summary.txt"
		case strings.HasPrefix(command, "0 7 "):
			command = strings.TrimPrefix(command, "0 7 * * * ")
		case r.want == "" && r.before == "" && !strings.HasPrefix(command, "run="):
			continue
		}
		out, err := bash(r.before + command)
		denied := strings.Contains(command, "sudo reboot")
		if (err != nil) != denied || !strings.Contains(out, r.want) {
			t.Errorf("%s\n%v\n%s", command, err, out)
		}
	}
}
