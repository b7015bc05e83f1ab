package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/tidwall/gjson"
)

// yesses are kinds of things that a person could be asked about: what a yes opens ("-" where it
// opens nothing, "" where nobody is asked), and a part of the result, which shows that the
// command did its work, or why it is refused and which option would do it.
var yesses = [][3]string{
	{"echo x > ~/docs/new && cat ~/docs/new", "write in ~/docs", "x"},
	{"touch ~/.local/bin/foo && ls ~/.local/bin", "write in ~/.local/bin", "foo"},
	{"echo '# new' >> ~/.bashrc && cat ~/.bashrc", "write in ~/.bashrc", "# new"},
	{"sed -i s/mark/new/ ~/.bashrc", "", "makes a file anew"},
	{"rm -r ~/docs/sub && echo gone", "write in ~/docs", "gone"},
	{"mv ~/docs/dir . && ls dir", "write in ~/docs", "moved"},
	{"chown daemon .env", "", "no other owner"},
	{"docker rm x", "", "no daemon"},
	{"psql", "", "ua --net-allow HOST"},
	{"redis-cli", "", "ua --net-allow HOST"},
	{"echo x > ~/.newhidden", "", "only if it is there"},
	{"echo x > ~/.config/ua/config.toml", "", "never opened"},
	{"touch ~/.ssh/authorized_keys", "", "ua --write ~/.ssh/authorized_keys"},
	{"echo x > /dev/nosuch", "", "a /dev of its own"},
	{"cat ~/.ssh/id_rsa", "", "ua --read ~/.ssh/id_rsa"},
	{"cd ~/.ssh && cat id_rsa", "", "ua --read ~/.ssh/id_rsa"},
	{"tar cf k.tar ~/.aws", "", "ua --read ~/.aws"},
	{"cat ~/.netrc", "-", "mark"}, // the user's settings show it
	{"cat .env", "-", "mark"},
	{"printenv AWS_SECRET_ACCESS_KEY", "", "ua --env NAME"},
	{"curl -sS HOST/", "reach HOST", "hello"},
	{"curl -sS HOST/ -o ~/docs/got && cat ~/docs/got",
		"write in ~/docs, and reach HOST", "hello"},
	{"curl -sS $NOSUCH/", "", "ua --net-allow HOST"},
	{"ssh example.org true", "", "ua --net-allow HOST"},
	{"psql -h db.example.org -c 'select 1'", "", "ua --net-allow HOST"},
	{"curl -sS localhost:1/", "-", "onnect to localhost"}, // the sandbox's own
	{"git ls-remote origin", "reach HOST", "seen by the server"},
	{"git push origin HEAD", "reach HOST", "seen by the server"},
	{"echo x >> .git/hooks/pre-commit", "", "ua --write .git/hooks/pre-commit"},
	{"git config core.hooksPath x", "", "ua --write .git/config"},
	{"rm .env && ls -A", "-", ".git"},
	{"kill -9 12345678", "", "o such process"}, // held: it runs, and sees no process outside
}

// TestEveryYes: what a person is asked about works for real after a yes, and what no yes could
// make work is refused with the option that would, and is not asked about.
func TestEveryYes(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "git") {
			http.Error(w, "seen", http.StatusTeapot)
		}
		w.Write([]byte("hello\n"))
	}))
	defer server.Close()
	host := strings.Replace(server.Listener.Addr().String(), "127.0.0.1", "host.internal", 1)
	var calls strings.Builder
	for _, y := range yesses {
		calls.WriteString("call: " + strings.ReplaceAll(y[0], "HOST/", "http://"+host+"/") +
			"\n---\ncall: true\n---\n") // no three denials in a row, which end a run
	}
	x := preparedTerminal(t, func(x *terminal) {
		out, err := exec.Command("sh", "-c", `set -e; mkdir -p "$2"; cd "$2"
mkdir -p .ssh .aws docs/sub docs/dir .local/bin .config/ua
touch docs/dir/moved
for f in .ssh/id_rsa .aws/credentials .netrc .bashrc; do echo "# mark" >$f; done
printf '[sandbox]\nread = ["~/.netrc"]\n' >.config/ua/config.toml
cd "$1"; echo A=mark >.env; git init -q .; git remote add origin "http://$3/x.git"
git -c user.name=u -c user.email=u@e.org commit -qm one --allow-empty`, "sh", x.dir, x.home,
			host).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}, calls.String()+"text: done", "--ask", "task")
	pty.Setsize(x.tty, &pty.Winsize{Rows: 60, Cols: 240})
	asked := 0
	for s := range x.more {
		for x.seen += s; strings.Count(x.seen, "help > ") > asked; asked++ {
			x.tty.WriteString("y\n")
		}
	}
	files, _ := filepath.Glob(filepath.Join(x.home, "state/ua/runs/*/journal.jsonl"))
	if len(files) != 1 {
		t.Fatalf("%q\n%s", files, x.seen)
	}
	journal, _ := os.ReadFile(files[0])
	at, opens := -1, ""
	for line := range strings.Lines(string(journal)) {
		switch get := func(name string) string { return gjson.Get(line, name).Str }; get("type") {
		case "tool_call":
			at, opens = at+1, ""
		case "ask":
			opens = "-"
			if s := get("opens"); s != "" {
				opens = strings.ReplaceAll(strings.TrimPrefix(s, "a yes lets it "), host, "HOST")
			}
		case "tool_result":
			result := strings.ReplaceAll(get("output"), "error: 418", "seen by the server")
			if y := yesses[at/2]; at%2 == 0 && (opens != y[1] || !strings.Contains(result, y[2])) {
				t.Errorf("%s: asked %q, want %q; %q, want %q", y[0], opens, y[1], result, y[2])
			}
		}
	}
	if at+1 != 2*len(yesses) {
		t.Errorf("%d of %d calls\n%s", at+1, 2*len(yesses), x.seen)
	}
}
