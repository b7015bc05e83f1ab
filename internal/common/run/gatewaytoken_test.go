package run

import (
	"strings"
	"testing"
)

// TestCommandToken: a command's token names it, is no other's and no other gateway's, and
// goes down to what the command starts as it is.
func TestCommandToken(t *testing.T) {
	own := CommandToken("secret", "A")
	if id, ok := CommandOf("secret", own); id != "A" || !ok {
		t.Errorf("%q %v", id, ok)
	}
	if strings.Contains(own, "secret") || !strings.HasPrefix(own, TokenStart("secret")+"-") ||
		TokenStart(own) != TokenStart("secret") {
		t.Errorf("%q", own)
	}
	if CommandToken(own, "B") != own || CommandToken("", "B") != "" {
		t.Error("an outer command's token changes, or there is one without a gateway's")
	}
	start, rest, _ := strings.Cut(own, "-")
	_, mac, _ := strings.Cut(rest, "-")
	for _, given := range []string{"", "secret", start, start + "-B-" + mac, start + "--" + mac,
		own + "-", own + "x", "-" + own, CommandToken("other", "A")} {
		if id, ok := CommandOf("secret", given); ok {
			t.Errorf("%q is %q's", given, id)
		}
	}
	if _, ok := CommandOf("", CommandToken("x", "A")); ok {
		t.Error("a gateway without a token knows a command")
	}
}
