package redact

import (
	"bytes"
	"slices"
	"strings"
)

// urlPassword matches the password in USER:PASSWORD@ after "://".
func urlPassword(w []byte, rest int) match {
	end := upTo(w, rest, maxURL, password)
	if end == len(w) && end < rest+maxURL {
		return match{outcome: wait}
	}
	colon := bytes.IndexByte(w[rest:end], ':')
	if end == len(w) || w[end] != '@' || colon < 0 || rest+colon+1 == end {
		return match{}
	}
	secret := w[rest+colon+1 : end]
	empty := slices.Contains(emptyPasswords[:], string(secret))
	if empty || strings.IndexByte("${%*[", secret[0]) >= 0 {
		return match{}
	}
	return match{outcome: yes, start: rest + colon + 1, end: end}
}
