package transport

import (
	"testing"
	"time"

	"ua/cmd/ua-think/internal/provider"
)

func TestTimeToBegin(t *testing.T) {
	for base, want := range map[string]time.Duration{
		"https://api.anthropic.com": time.Minute, "http://localhost:8080/v1": 5 * time.Minute,
		"http://127.0.0.1:11434": 5 * time.Minute,
		"http://[::1]:1":         5 * time.Minute, "http://10.0.0.1": time.Minute,
		"http://127.0.0.1.example.org": time.Minute,
	} {
		if got := (Limits{}).ToBegin(provider.Model{Base: base}); got != want {
			t.Errorf("%s: %v", base, got)
		}
	}
	local := provider.Model{Base: "http://localhost"}
	if got := (Limits{First: time.Second}).ToBegin(local); got != time.Second {
		t.Errorf("given: %v", got)
	}
}
