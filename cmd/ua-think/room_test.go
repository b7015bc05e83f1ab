package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
)

// TestContextTokens: no request takes more than it may, the oldest images go
// first, and what is missing is named to the model and the user.
func TestContextTokens(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	image := func(name string) string {
		return `{"media_type":"image/png","name":"` + name + `",` +
			`"data":"` + strings.Repeat("A", 100<<10) + `"}`
	}
	var images []string
	for i := range 40 {
		images = append(images, image(fmt.Sprintf("%02d.png", i)))
	}
	shots := `{"type":"instruction","text":"look","attachments":[` + strings.Join(images, ",") + `]}`
	text := `{"type":"instruction","text":"HEAD ` + strings.Repeat("line of a long log\\n", 150_000) +
		` TAIL"}`
	for _, api := range modeltest.APIs() {
		before := len(f.Requests())
		o := think(t, shots, "--model", api+"/m", "--context-tokens", "30000")
		body := f.Requests()[before]
		if o.status != 0 || !strings.Contains(o.stderr, "oldest images") {
			t.Errorf("%s: %d %s", api, o.status, o.stderr)
		}
		if n := strings.Count(body, strings.Repeat("A", 100<<10)); n == 0 || n*1600 > 30000 {
			t.Errorf("%s: %d images are sent", api, n)
		}
		if !strings.Contains(body, "[00.png (image/png) was left out to save room]") ||
			strings.Contains(body, "39.png (image/png) was left out") {
			t.Errorf("%s: the oldest image is not the one left out", api)
		}
		o = think(t, text, "--model", api+"/m", "--context-tokens", "20000")
		body = f.Requests()[before+1]
		if o.status != 0 || len(body) > 4*20000 || len(body) < 2*20000 {
			t.Errorf("%s: status %d, %d bytes are sent", api, o.status, len(body))
		}
		if !strings.Contains(body, "HEAD") || !strings.Contains(body, "TAIL") ||
			!strings.Contains(body, "bytes are left out here to save room") {
			t.Errorf("%s: head, tail or note is missing", api)
		}
		if o = think(t, shots, "--model", api+"/m", "--context-tokens",
			"100000"); strings.Contains(o.stderr, "no room") {
			t.Errorf("%s: %s", api, o.stderr)
		}
	}
}

// TestNoToolsHolds: where no tools are wanted none is called, even by a model
// that ignores what it is told.
func TestNoToolsHolds(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
		return modeltest.Reply{Pieces: modeltest.Stream(api, "tool_use",
			modeltest.Say{Kind: "text", Text: "I try"},
			modeltest.Say{Kind: "tool", ID: "t9", Text: `{"command":"ls"}`})}
	})
	f.Use(t)
	called := `{"type":"instruction","text":"hi"}` + "\n" +
		`{"type":"response","content":[{"type":"tool_use","id":"c1","name":"shell","input":{}}],` +
		`"stop_reason":"tool_use"}` + "\n" +
		`{"type":"tool_result","call_id":"c1","output":"x"}`
	for _, api := range modeltest.APIs() {
		for _, in := range []string{`{"type":"instruction","text":"hi"}`, called} {
			o := think(t, in, "--model", api+"/m", "--no-tools")
			resp := o.one(t, "response")
			if len(o.all("tool_call")) > 0 || strings.Contains(resp.Get("content").Raw, "tool_use") ||
				resp.Get("stop_reason").Str == "tool_use" {
				t.Errorf("%s: %s", api, o.out)
			}
			if o.status != 0 || !strings.Contains(o.stderr, "called a tool, although none was declared") {
				t.Errorf("%s: status %d: %q", api, o.status, o.stderr)
			}
		}
		body := f.Requests()[len(f.Requests())-1]
		if api == "ollama" && gjson.Get(body, "tools").Exists() {
			t.Errorf("tools are declared to a server without tool_choice: %s", body)
		}
	}
}

// TestOllamaContext: Ollama is asked for a context that holds the conversation,
// and never to cut it.
func TestOllamaContext(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	for text, want := range map[string]int64{"hi": 8192, strings.Repeat("word ", 20_000): 65536} {
		think(t, "", "--model", "ollama/m", text)
		body := gjson.Parse(f.Requests()[len(f.Requests())-1])
		if got := body.Get("options.num_ctx").Int(); got != want ||
			body.Get("truncate").Type != gjson.False {
			t.Errorf("%d bytes: num_ctx %d, want %d; truncate %s", len(text), got, want,
				body.Get("truncate").Raw)
		}
	}
}

// TestLostBeginning: a server that read far less than it was sent is told of.
func TestLostBeginning(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done)) // says 30 tokens
	f.Use(t)
	for text, want := range map[string]bool{"hi": false, strings.Repeat("word ", 10_000): true} {
		if o := think(t, "", "--model", "openai-chat/m", text); strings.Contains(o.stderr,
			"its beginning may be lost") != want {
			t.Errorf("%d bytes: %s", len(text), o.stderr)
		}
	}
}

// TestBlind: a model that takes no images is told of them, and the user too.
func TestBlind(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	look := `{"type":"instruction","text":"look","attachments":[{"media_type":"image/png",` +
		`"name":"a.png","data":"iVBORw0KGgo="}]}`
	for model, blind := range map[string]bool{"ollama/blind": true, "ollama/sighted": false,
		"openai-chat/blind": false} {
		o := think(t, look, "--model", model)
		body := f.Requests()[len(f.Requests())-1]
		if strings.Contains(o.stderr, "takes no images") != blind || strings.Contains(body,
			"iVBORw0KGgo=") == blind || strings.Contains(body, "can't be shown to this model") != blind {
			t.Errorf("%s: %s%s", model, o.stderr, body)
		}
	}
}
