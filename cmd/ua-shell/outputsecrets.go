package main

import (
	"os"
	"strings"

	"ua/internal/common/redact"
	"ua/internal/common/secret"
)

// secrets returns what no output may contain on its way to a model: what looks like a
// secret, the values of variables with secret names, and the nonce of the marks.
func secrets(nonce string) *redact.Set {
	values := map[string]string{nonce: "session_nonce"}
	_, withheld := secret.Environ(os.Environ(), nil)
	for _, name := range withheld {
		name, _, _ = strings.Cut(name, "=")
		values[os.Getenv(name)] = "environment_value"
	}
	return redact.NewSet(values)
}
