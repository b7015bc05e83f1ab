package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestSystem(t *testing.T) {
	var v struct {
		Text  string
		Tools []struct {
			Name        string
			InputSchema map[string]any `json:"input_schema"`
		}
	}
	err := json.Unmarshal(System(), &v)
	if err != nil || v.Text != DefaultPrompt || len(v.Tools) != 1 ||
		v.Tools[0].InputSchema["type"] != "object" {
		t.Errorf("%s: %v", System(), err)
	}
	want := fmt.Sprintf("time limit, %d unless given", CommandTimeout.Milliseconds())
	if !strings.Contains(DefaultTools, want) {
		t.Errorf("the model is not told %q", want)
	}
	if n := len(DefaultPrompt) + len(DefaultTools); n > 2500 {
		t.Errorf("prompt and tools take %d bytes of every first request", n)
	}
}
