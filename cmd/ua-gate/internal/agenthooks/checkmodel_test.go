package agenthooks

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestTrialModel asks the model by each API: the first answer is the call, and
// once the reason is told, a word.
func TestTrialModel(t *testing.T) {
	for _, c := range []struct{ path, tools, args string }{
		{"/v1/messages?beta=true", `{"name":"Read"},{"name":"Bash"}`, `touch ran`},
		{"/v1/responses", `{"type":"function","name":"shell"}`, `["bash","-lc","touch ran"]`},
		{"/v1/responses", `{"type":"function","name":"exec_command"}`, `"cmd":"touch ran"`},
		{"/v1/chat/completions", `{"type":"function","function":{"name":"run_shell_command"}}`,
			`"is_background":false`},
		{"/v1beta/models/x:streamGenerateContent?alt=sse",
			`{"functionDeclarations":[{"name":"run_shell_command"}]}`, `touch ran`},
		{"/v1beta/models/x:generateContent", `{"functionDeclarations":[{"name":"run_shell_command"}]}`,
			`touch ran`},
	} {
		m, err := startTrialModel("touch ran", "TOKEN")
		if err != nil {
			t.Fatal(err)
		}
		ask := func(body io.Reader) string {
			resp, err := http.Post(m.address+c.path, "application/json", body)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			for line := range strings.Lines(string(text)) {
				if data, ok := strings.CutPrefix(line, "data: "); ok && !gjson.Valid(data) &&
					data != "[DONE]\n" {
					t.Errorf("%s: %s is no JSON", c.path, data)
				}
			}
			return strings.ReplaceAll(string(text), `\"`, `"`)
		}
		if text := ask(strings.NewReader(`{"tools":[{"name":"Read"}]}`)); !strings.Contains(text,
			"done") || m.called.Load() {
			t.Errorf("%s without a shell: %s", c.path, text)
		}
		wanted := strings.NewReader(`{"tools":[` + c.tools + "]}")
		if text := ask(wanted); !strings.Contains(text, c.args) || !m.called.Load() || m.told.Load() {
			t.Errorf("%s: %s, want %s", c.path, text, c.args)
		}
		if text := ask(strings.NewReader(`{"tools":[` + c.tools +
			`],"x":"denied: TOKEN"}`)); !strings.Contains(text, "done") || !m.told.Load() {
			t.Errorf("%s with the reason: %s", c.path, text)
		}
		m.close()
	}
}

// FuzzTrialRequest holds that no bytes make the model's reader panic or take
// more than it should.
func FuzzTrialRequest(f *testing.F) {
	f.Add("POST /v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}")
	f.Add("POST / HTTP/1.1\nContent-Length: -1\n\n")
	m, err := startTrialModel("touch ran", "TOKEN")
	if err != nil {
		f.Fatal(err)
	}
	m.close()
	f.Fuzz(func(t *testing.T, text string) {
		_, body, err := readTrial(bufio.NewReader(strings.NewReader(text)))
		if err == nil && len(body) > len(text) {
			t.Errorf("%d bytes of %d", len(body), len(text))
		}
		m.tool(body)
	})
}
