package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// sketch is a conversation in short: U and A for the sides, each part by kind.
func sketch(c *conversation) string {
	var b strings.Builder
	for _, m := range c.messages {
		b.WriteString(map[bool]string{false: "U[", true: " A["}[m.assistant])
		for i, p := range m.parts {
			if i > 0 {
				b.WriteString(" ")
			}
			switch p.kind {
			case "call":
				b.WriteString("call:" + gjson.Parse(p.id).Str)
			case "result":
				bad := ""
				if p.bad {
					bad = "!"
				}
				fmt.Fprintf(&b, "%s=%s%s", gjson.Parse(p.id).Str, bad, gjson.Parse(p.text).Str)
			case "text":
				b.WriteString(gjson.Parse(p.text).Str)
			default:
				b.WriteString(p.kind)
			}
		}
		b.WriteString("]")
		if m.assistant {
			b.WriteString(" ")
		}
	}
	return b.String()
}

// converse is the conversation of lines.
func converse(lines []string, o *options) *conversation {
	c := newConversation(o)
	for _, line := range lines {
		c.add(line)
		c.now() // must change nothing
	}
	return c.now()
}

func TestConverse(t *testing.T) {
	const (
		ask    = `{"type":"instruction","text":"do"}`
		call1  = `{"type":"tool_call","id":"1","name":"shell","input":{"command":"a"}}`
		res1   = `{"type":"tool_result","call_id":"1","output":"one","exit_code":0}`
		call2  = `{"type":"tool_call","id":"2","name":"shell","input":{"command":"b"}}`
		res2   = `{"type":"tool_result","call_id":"2","output":"two\n","exit_code":3}`
		resp1  = `{"type":"response","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"1","name":"shell","input":{"command":"a"}}],"stop_reason":"tool_use"}`
		resp12 = `{"type":"response","content":[{"type":"tool_use","id":"1","name":"shell","input":{}},{"type":"tool_use","id":"2","name":"shell","input":{}}],"stop_reason":"tool_use"}`
		end    = `{"type":"response","content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}`
		empty  = `{"type":"response","content":[],"stop_reason":"interrupted"}`
		gone   = "=![interrupted: it is not known whether this command ran]"
		on     = "[The answer was cut off here. Go on from where it stopped.]"
	)
	for name, c := range map[string]struct{ lines, want string }{
		"nothing":               {"", ""},
		"an instruction":        {ask, "U[do]"},
		"a turn":                {join3(ask, call1, res1, resp1), "U[do] A[so call:1] U[1=one]"},
		"the result later":      {join3(ask, call1, resp1, res1), "U[do] A[so call:1] U[1=one]"},
		"two calls":             {join3(ask, call1, res1, call2, res2, resp12), "U[do] A[call:1 call:2] U[1=one 2=two\n[exit status 3]]"},
		"results out of order":  {join3(ask, call1, call2, res2, res1, resp12), "U[do] A[call:1 call:2] U[1=one 2=two\n[exit status 3]]"},
		"no result":             {join3(ask, call1, res1, call2, resp12), "U[do] A[call:1 call:2] U[1=one 2" + gone + "]"},
		"two results":           {join3(ask, call1, res1, res1, resp1), "U[do] A[so call:1] U[1=one]"},
		"a result of no call":   {join3(ask, res2), "U[do]"},
		"steering":              {join3(ask, call1, res1, resp1, `{"type":"message","text":"faster","from":"user"}`), "U[do] A[so call:1] U[1=one faster]"},
		"steering in the turn":  {join3(ask, call1, `{"type":"message","text":"faster","from":"boss"}`, res1, resp1), "U[do] A[so call:1] U[1=one [message from boss]\nfaster]"},
		"a lost response":       {join3(ask, call1, res1), "U[do] A[call:1] U[1=one]"},
		"lost, then another":    {join3(ask, call1, res1, `{"type":"instruction","text":"on"}`, call2, res2, `{"type":"response","content":[{"type":"tool_use","id":"2","name":"shell","input":{}}]}`), "U[do] A[call:1] U[1=one on] A[call:2] U[2=two\n[exit status 3]]"},
		"lost, no result":       {join3(ask, call1), "U[do] A[call:1] U[1" + gone + "]"},
		"cut, then on":          {join3(ask, end), "U[do] A[done] U[" + on + "]"},
		"cut twice":             {join3(ask, end, end, ask), "U[do] A[done] U[" + on + "] A[done] U[do]"},
		"an empty response":     {join3(ask, empty, ask), "U[do do]"},
		"a response first":      {join3(end, ask), "U[" + on + "] A[done] U[do]"},
		"an error of a call":    {join3(ask, `{"type":"error","call_id":"1","message":"not JSON"}`, resp1), "U[do] A[so call:1] U[1=!error: not JSON]"},
		"an error of a stage":   {join3(ask, `{"type":"error","stage":"ua-gate","message":"not JSON"}`), "U[do]"},
		"denied":                {join3(ask, call1, `{"type":"tool_result","call_id":"1","status":"denied","output":"no: rm"}`, resp1), "U[do] A[so call:1] U[1=!no: rm]"},
		"no output":             {join3(ask, call1, `{"type":"tool_result","call_id":"1","status":"run","exit_code":0,"output":""}`, resp1), "U[do] A[so call:1] U[1=[no output]]"},
		"blank output":          {join3(ask, call1, `{"type":"tool_result","call_id":"1","status":"run","exit_code":0,"output":" \n"}`, resp1), "U[do] A[so call:1] U[1=[no output]]"},
		"killed":                {join3(ask, call1, `{"type":"tool_result","call_id":"1","status":"run","signal":"KILL","exit_code":137,"output":"x"}`, resp1), "U[do] A[so call:1] U[1=x\n[ended by signal KILL]]"},
		"timed out":             {join3(ask, call1, `{"type":"tool_result","call_id":"1","status":"timeout","duration_ms":100,"output":""}`, resp1), "U[do] A[so call:1] U[1=![the time limit ended it after 100 ms]]"},
		"a shell command":       {join3(`{"type":"shell_command","command":"make","cwd":"/src","exit_code":2,"output":"boom"}`, ask), "U[[The user ran this in the shell, in /src.]\n$ make\nboom\n[exit status 2] do]"},
		"blank texts":           {join3(ask, `{"type":"response","content":[{"type":"text","text":" \n"}]}`, `{"type":"instruction","text":" "}`), "U[do]"},
		"a text attachment":     {`{"type":"instruction","text":"do","attachments":[{"media_type":"text/plain","name":"a.c","text":"int x;"}]}`, "U[do [attached: a.c]\nint x;\n[end of a.c]]"},
		"unknown block":         {join3(ask, `{"type":"response","content":[{"type":"new","x":1},{"type":"text","text":"t"}]}`, ask), "U[do] A[t] U[do]"},
		"junk":                  {join3(ask, `{"type":"response"}`, `{"type":"tool_call"}`, `{"type":"tool_result"}`, `{"type":"response","content":{"type":"text"}}`, `{"type":"future","x":[1]}`), "U[do]"},
		"an id said twice":      {join3(ask, call1, res1, resp1, ask, call1, res2, resp1), "U[do] A[so call:1] U[1=one do] A[so call:1] U[1" + gone + "]"},
		"checkpoint kept plain": {join3(`{"type":"checkpoint","text":"so far so good"}`, ask), "U[so far so good do]"},
	} {
		var lines []string
		if c.lines != "" {
			lines = strings.Split(c.lines, "\n")
		}
		if got := sketch(converse(lines, &options{})); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func join3(lines ...string) string { return strings.Join(lines, "\n") }

// TestCheckpoint: what a checkpoint stands for is not sent again.
func TestCheckpoint(t *testing.T) {
	s := newSession(t, "anthropic/m")
	for _, line := range []string{
		`{"type":"run","id":"r"}`, `{"type":"system","text":"S","tools":[]}`, `{"type":"instruction","text":"first"}`,
		`{"type":"response","content":[{"type":"text","text":"old"}]}`, `{"type":"instruction","text":"second"}`,
		`{"type":"checkpoint","text":"summary"}`, `{"type":"instruction","text":"third"}`,
	} {
		if err := s.take(context.Background(), line); err != nil {
			t.Fatal(err)
		}
	}
	if got := sketch(s.talk.now()); got != "U[first summary third]" || s.answers != 1 {
		t.Errorf("%q", got)
	}
}

// newSession is a session that writes to nowhere.
func newSession(t testing.TB, spec string) *session {
	m, err := resolve(spec, &settings{})
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	s := &session{env: &prog.Env{Name: "ua-think", Stdout: null, Stderr: null}, o: defaults(&settings{}), cfg: &settings{}, models: []model{m}, prices: map[string]*price{}, counted: map[string]bool{}}
	s.client = newClient(s.o.limits)
	s.out = newOutbox(null)
	t.Cleanup(func() { s.out.close(0) })
	s.forget()
	return s
}

// long is a conversation with all that can stand in one.
func long(provider string) []string {
	png := `{"media_type":"image/png","data":"iVBORw0KGgo="}`
	pdf := `{"media_type":"application/pdf","name":"a.pdf","data":"JVBERi0="}`
	wav := `{"media_type":"audio/wav","name":"a.wav","data":"UklGRg=="}`
	thought := `{"type":"thinking","thinking":"hm \"x\"","signature":"sig-1"},{"type":"redacted_thinking","data":"red-1"},{"type":"provider","provider":"openai","item":{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"sig-2"}}`
	return []string{
		`{"type":"run","id":"r1"}`, string(event.New("system").Str("text", "Be brief.").Raw("tools", []byte(`[{"name":"shell","description":"d","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}}]`)).Line()),
		`{"type":"instruction","text":"look at é😀","attachments":[` + png + `,` + pdf + `,` + wav + `,{"media_type":"text/plain","name":"n","text":"t"}]}`,
		`{"type":"tool_call","id":"c1","name":"shell","input":{"command":"a \"b\""}}`,
		`{"type":"tool_result","call_id":"c1","output":"o","exit_code":1,"media":[` + png + `]}`,
		`{"type":"tool_call","id":"c2","name":"shell","input":{}}`,
		`{"type":"response","model":"` + provider + `/m","stop_reason":"tool_use","content":[` + thought + `,{"type":"text","text":"I look","phase":"commentary"},{"type":"tool_use","id":"c1","name":"shell","input":{"command":"a \"b\""}},{"type":"tool_use","id":"c2","name":"shell","input":{}}]}`,
		`{"type":"message","text":"and be quick","from":"user"}`,
		`{"type":"response","model":"other/m","stop_reason":"interrupted","content":[` + thought + `,{"type":"text","text":"half"}]}`,
		`{"type":"response","model":"` + provider + `/m","stop_reason":"end_turn","content":[{"type":"text","text":"rest"}]}`,
		`{"type":"instruction","text":"thanks"}`,
	}
}

// TestSDKTypes: the SDKs of the providers read what is sent, and know all of it.
func TestSDKTypes(t *testing.T) {
	for api, into := range map[string]func() any{
		"anthropic":   func() any { return new(sdk.MessageNewParams) },
		"openai":      func() any { return new(responses.ResponseNewParams) },
		"openai-chat": func() any { return new(openai.ChatCompletionNewParams) },
	} {
		for _, extra := range []func(*request){
			func(*request) {},
			func(r *request) { r.o.effort, r.o.maxTokens = "low", 5000 },
			func(r *request) {
				r.o.thinking, r.schema = 2000, `{"type":"object","properties":{"a":{"type":"string"}}}`
			},
			func(r *request) { r.o.thinking = 0 },
			func(r *request) { r.talk.tools = "" },
		} {
			o := defaults(&settings{})
			r := &request{o: o, talk: converse(long(api), o)}
			extra(r)
			m, _ := resolve(api+"/m", &settings{})
			m.base = strings.Replace(m.base, "127.0.0.1", "api.openai.com", 1)
			k, err := prepare(m, r)
			if err != nil {
				t.Fatal(err)
			}
			v := into()
			if err := json.Unmarshal(k.body, v); err != nil {
				t.Fatalf("%s: %v\n%s", api, err, k.body)
			}
			again, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			var want, got map[string]any
			json.Unmarshal(k.body, &want)
			json.Unmarshal(again, &got)
			delete(want, "stream")
			if !reflect.DeepEqual(want, got) {
				t.Errorf("%s: the SDK reads\n%s\nwhere this was sent\n%s", api, again, k.body)
			}
		}
	}
}

// TestOwnThoughtsOnly: signatures and sealed items go back to their provider
// alone.
func TestOwnThoughtsOnly(t *testing.T) {
	for api, want := range map[string]string{"anthropic": "sig-1 red-1", "openai": "sig-2", "openai-chat": "", "ollama": ""} {
		o := defaults(&settings{})
		m, _ := resolve(api+"/m", &settings{})
		k, _ := prepare(m, &request{o: o, talk: converse(long(api), o)})
		var got []string
		for _, word := range []string{"sig-1", "red-1", "sig-2"} {
			if n := strings.Count(string(k.body), word); n > 1 {
				t.Errorf("%s: %s stands %d times", api, word, n)
			} else if n == 1 {
				got = append(got, word)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s\n%s", api, got, want, k.body)
		}
	}
}

func FuzzConverse(f *testing.F) {
	f.Add(strings.Join(long("anthropic"), "\n"))
	f.Add(`{"type":"response","content":[{"type":"tool_use","id":"1","name":"n"}]}` + "\n" + `{"type":"checkpoint","text":"x"}` + "\n" + `{"type":"instruction","text":"x"}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := newSession(t, "anthropic/m")
		r := event.NewReader(strings.NewReader(text))
		for {
			line, err := r.Next()
			if line == nil && err != nil {
				break
			}
			if typ := event.Type(line); err == nil && typ != "turn" {
				s.take(context.Background(), string(line))
			}
		}
		o := defaults(&settings{})
		talk := s.talk.now()
		if len(talk.messages) == 0 {
			return
		}
		for _, api := range apiNames {
			m, _ := resolve(api+"/m", &settings{})
			k, err := prepare(m, &request{o: o, talk: talk, lines: s.lines})
			if err != nil {
				t.Fatal(err)
			}
			if !gjson.ValidBytes(k.body) {
				t.Fatalf("%s: %s", api, k.body)
			}
			if !json.Valid(k.body) {
				t.Fatalf("%s: %q", api, k.body)
			}
			checkTurns(t, k.body, api)
		}
	})
}

// checkTurns holds a body to the rules that no input may break.
func checkTurns(t *testing.T, body []byte, api string) {
	if api != "anthropic" {
		return
	}
	messages := gjson.GetBytes(body, "messages").Array()
	for i, m := range messages {
		if m.Get("role").Str != []string{"user", "assistant"}[i%2] || len(m.Get("content").Array()) == 0 {
			t.Fatalf("message %d of %s", i, body)
		}
	}
	if len(messages)%2 == 0 {
		t.Fatalf("the user does not speak last in %s", body)
	}
}

// TestMedia: each API gets pictures where it takes them.
func TestMedia(t *testing.T) {
	lines := []string{
		`{"type":"instruction","text":"look"}`, `{"type":"tool_call","id":"c1","name":"shell","input":{}}`,
		`{"type":"tool_result","call_id":"c1","output":"","exit_code":0,"media":[{"media_type":"image/png","data":"iVBORw0KGgo="},{"media_type":"audio/wav","data":"UklG"},{"media_type":"image/png","ref":"media/x.png"}]}`,
		`{"type":"response","content":[{"type":"tool_use","id":"c1","name":"shell","input":{}}]}`,
	}
	const gone, deaf = "[image/png is not at hand]", "[audio/wav can't be shown to this model]"
	for api, want := range map[string]map[string]string{
		"anthropic":   {"messages.2.content.0.content.0.source.data": "iVBORw0KGgo=", "messages.2.content.0.content.1.text": deaf, "messages.2.content.0.content.2.text": gone},
		"openai":      {"input.2.type": "function_call_output", "input.3.content.0.image_url": "data:image/png;base64,iVBORw0KGgo=", "input.3.content.1.text": deaf, "input.3.content.2.text": gone},
		"openai-chat": {"messages.3.role": "tool", "messages.4.content.0.image_url.url": "data:image/png;base64,iVBORw0KGgo=", "messages.4.content.1.input_audio.data": "UklG", "messages.4.content.2.text": gone},
		"ollama":      {"messages.3.role": "tool", "messages.4.images.0": "iVBORw0KGgo=", "messages.4.content": deaf + "\n\n" + gone},
	} {
		o := defaults(&settings{})
		m, _ := resolve(api+"/m", &settings{})
		k, _ := prepare(m, &request{o: o, talk: converse(lines, o)})
		for path, text := range want {
			if got := gjson.GetBytes(k.body, path).String(); got != text {
				t.Errorf("%s: %s is %q, want %q\n%s", api, path, got, text, gjson.GetBytes(k.body, "messages").Raw)
			}
		}
	}
}

// TestThoughtKept: a budget for thinking is sent only with the thoughts that
// the answer before began with.
func TestThoughtKept(t *testing.T) {
	ask, res := `{"type":"instruction","text":"go"}`, `{"type":"tool_result","call_id":"c","output":"x"}`
	answer := func(model, first string) string {
		return `{"type":"response","model":"` + model + `","content":[` + first + `{"type":"tool_use","id":"c","name":"shell","input":{}}]}`
	}
	thought := `{"type":"thinking","thinking":"","signature":"sig-1"},`
	for name, c := range map[string]struct {
		lines []string
		want  bool
	}{
		"a new question":  {[]string{ask}, true},
		"own thoughts":    {[]string{ask, answer("anthropic/m", thought), res}, true},
		"none":            {[]string{ask, answer("anthropic/m", ""), res}, false},
		"another's":       {[]string{ask, answer("openai/m", thought), res}, false},
		"a lost answer":   {[]string{ask, `{"type":"tool_call","id":"c","name":"shell","input":{}}`, res}, false},
		"sealed thoughts": {[]string{ask, answer("anthropic/m", `{"type":"redacted_thinking","data":"red-1"},`), res}, true},
	} {
		o := defaults(&settings{})
		o.thinking = 2000
		m, _ := resolve("anthropic/m", &settings{})
		k, _ := prepare(m, &request{o: o, talk: converse(c.lines, o)})
		if got := gjson.GetBytes(k.body, "thinking.budget_tokens").Exists(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
