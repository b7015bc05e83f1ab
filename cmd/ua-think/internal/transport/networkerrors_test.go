package transport

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
)

// TestAddress: a hint tells the address of a server, and nothing that is secret in it.
func TestAddress(t *testing.T) {
	page := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html>")
	})
	for _, base := range []string{"http://127.0.0.1:1", page} {
		_, host, _ := strings.Cut(base, "//")
		_, err := asked(t.Context(), t, New(patience()), "http://joe:pass-1@"+host+"?key=pass-2")
		if f := failure.From(err); err == nil || !strings.Contains(f.Hint, base) ||
			strings.Contains(f.Msg+f.Hint, "pass-") {
			t.Errorf("%+v", f)
		}
	}
}

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
