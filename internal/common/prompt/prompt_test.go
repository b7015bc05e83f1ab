package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestEvent(t *testing.T) {
	var v struct {
		Text  string
		Tools []struct {
			Name        string
			InputSchema map[string]any `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(Event(), &v); err != nil || v.Text != System || len(v.Tools) != 1 ||
		v.Tools[0].InputSchema["type"] != "object" {
		t.Errorf("%s: %v", Event(), err)
	}
	want := fmt.Sprintf("time limit, %d unless given", CommandTimeout.Milliseconds())
	if !strings.Contains(Tools, want) {
		t.Errorf("the model is not told %q", want)
	}
	if n := len(System) + len(Tools); n > 2500 {
		t.Errorf("prompt and tools take %d bytes of every first request", n)
	}
}
