package environ

import (
	"slices"
	"strings"
	"unicode"

	"ua/internal/common/chain"
	"ua/internal/common/redact"
)

// A secrets holds the values that must not appear in any output.
type secrets struct {
	values map[string]string // with their kinds
	proxy  string            // the secret of the run's proxy
}

// keptOut returns the values of env's secret variables, except of those that keep names.
// looks says for each variable whether it looks like a secret.
func keptOut(env []string, looks []bool, keep []string) secrets {
	s := secrets{values: map[string]string{}}
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case name == chain.EnvProxy:
			if s.proxy = userinfo(value); s.proxy != "" {
				s.values[s.proxy] = "environment_value"
			}
		case slices.Contains(keep, name) || chain.OfProxy(v):
		case looks[i]:
			if _, password, ok := strings.Cut(userinfo(value), ":"); ok {
				value = password
			}
			if secretive(value) {
				s.values[value] = "environment_value"
			}
		}
	}
	return s
}

// in reports whether the text contains one of the values, apart from the proxy's.
func (s secrets) in(text string) bool {
	for value := range s.values {
		if value != s.proxy && len(value) >= redact.MinValue && strings.Contains(text, value) {
			return true
		}
	}
	return false
}

// proxyIn reports whether the text contains the proxy's secret.
func (s secrets) proxyIn(text string) bool {
	return s.proxy != "" && strings.Contains(text, s.proxy)
}

// userinfo returns the part of a URL in front of the @ (RFC 3986, section 3.2.1).
func userinfo(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	if user, _, ok := strings.Cut(rest, "@"); ok {
		return user
	}
	return ""
}

// secretive reports whether a value is specific enough to be removed from output. A path,
// a number or a single short word also occurs in harmless output.
func secretive(value string) bool {
	if strings.HasPrefix(value, "/") {
		return false
	}
	sign := func(r rune) bool { return !unicode.IsLetter(r) }
	return strings.Trim(value, "0123456789") != "" &&
		(len(value) >= 16 || strings.ContainsFunc(value, sign))
}
