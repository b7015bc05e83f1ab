package secret

import (
	"net/url"
	"strings"
)

// maxURL is how many bytes of a URL are looked at.
const maxURL = 8192

// address reports whether the value contains a URL with a password, with a key as the
// user, or with a key in its path.
func address(n name, value string) bool {
	for rest := value; ; {
		_, after, ok := strings.Cut(rest, "://")
		if !ok {
			return false
		}
		rest = after
		after = after[:min(len(after), maxURL)]
		end := strings.IndexAny(after, " \t\n\r\"'<>`")
		if end < 0 {
			end = len(after)
		}
		if secretURL(n, after[:end]) {
			return true
		}
	}
}

// secretURL reports whether a URL, given without its scheme and "://", contains a secret.
func secretURL(n name, text string) bool {
	end := strings.IndexAny(text, "/?#")
	if end < 0 {
		end = len(text)
	}
	authority, path := text[:end], text[end:]
	host := authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		host = authority[at+1:]
		if secretUser(n, authority[:at]) {
			return true
		}
	} else if at := strings.LastIndexByte(path, '@'); at > 0 && strings.Contains(authority, ":") {
		// A password may hold what ends an authority elsewhere: user:pass/word@host.
		_, password, _ := strings.Cut(authority, ":")
		if strings.Trim(password, "0123456789") != "" && !strings.Contains(password, "[") {
			return true
		}
	}
	switch {
	case localHost(host):
		return false
	case hook(host, path):
		return true
	case n.public:
		return false
	}
	path, _, _ = strings.Cut(path, "?")
	if p, err := url.PathUnescape(path); err == nil {
		path = p
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		s, _, _ = strings.Cut(s, ",")
		if i > 0 && identified(strings.ToUpper(strings.Trim(segments[i-1], "-"))) || isUUID(s) {
			continue // commit/0123…
		}
		if len(s) == 40 && onlyHex(s) && (n.revision || strings.Contains(host, "git")) {
			continue
		}
		if isRandom(strings.TrimRight(s, "="), minPiece, minHex) && !strings.Contains(s, ".") {
			return random(s)
		}
	}
	return false
}

// identified reports whether an identifier follows the word in a path.
func identified(word string) bool { return has(isRevision, word) || has(identifies, word) }

// secretUser reports whether the part before the @ of a URL is a user with a password, or
// a key.
func secretUser(n name, user string) bool {
	_, password, has := strings.Cut(user, ":")
	if port, _, list := strings.Cut(password, ","); list && strings.Trim(port, "0123456789") == "" {
		return false // HOST:PORT,USER@HOST
	}
	if has {
		return password != "" && !stands(password)
	}
	return !n.public && isRandom(user, minWhole, minWhole)
}

// localHost reports whether the host is this machine, or one that only its network reaches.
func localHost(host string) bool {
	host = strings.TrimPrefix(host, "[")
	for _, start := range [...]string{"localhost", "127.", "::1]", "169.254.", "host.docker."} {
		if strings.HasPrefix(host, start) {
			return true
		}
	}
	return false
}

// hook reports whether the URL lets anyone who knows it post. Either its host gives out
// such URLs, or a word in its path says so and a later part is no word.
func hook(host, path string) bool {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	path, query, _ := strings.Cut(path, "?")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	last := segments[len(segments)-1]
	switch {
	case ends(host, ".m.pipedream.net", "hook.site", "hooks.zapier.com", "hc-ping.com",
		".logic.azure.com", ".requestcatcher.com"):
		return last != "" || ends(host, ".m.pipedream.net")
	case host == "ntfy.sh", strings.HasPrefix(host, "hook.") && ends(host, ".make.com"):
		return !plain(last, 0)
	}
	named := strings.HasPrefix(host, "hook") || strings.HasPrefix(host, "webhook")
	perhaps := named
	for _, s := range segments {
		if perhaps && len(s) > 9 && !plain(s, 2) {
			if _, bits := evidence(s); named || bits > 0 {
				return true
			}
		}
		switch strings.ToLower(s) {
		case "hook", "hooks", "webhook", "webhooks", "build_hooks", "webhookb2":
			named, perhaps = true, true
		case "deploy", "trigger", "triggers", "services", "incoming", "catch", "push":
			perhaps = true
		}
	}
	return perhaps && strings.Contains(query, "key=")
}
