package secret

import "strings"

// login reports whether the value begins with USER:PASSWORD@HOST without a scheme, as
// drivers of databases take it: a path, or tcp( or unix(, follows. Oracle's clients take
// USER/PASSWORD@HOST.
func login(value string) bool {
	n := countName(value)
	if n == 0 || !strings.HasPrefix(value[n:], ":") {
		return oracle(value)
	}
	rest := value[n+1:]
	at := strings.IndexAny(rest, "@/ \t\n\f\r")
	if at < 1 || rest[at] != '@' {
		return false
	}
	rest = rest[at+1:]
	if strings.HasPrefix(rest, "tcp(") || strings.HasPrefix(rest, "unix(") {
		return true
	}
	n = countName(rest)
	if port, ok := strings.CutPrefix(rest[n:], ":"); ok && n > 0 {
		digits := len(port) - len(strings.TrimLeft(port, "0123456789"))
		return digits > 0 && strings.HasPrefix(port[digits:], "/")
	}
	return n > 0 && strings.HasPrefix(rest[n:], "/")
}

// oracle reports whether the value is USER/PASSWORD@HOST. The host has to be an address,
// or the user one that Oracle's databases have, since OWNER/NAME@VERSION names code.
func oracle(value string) bool {
	user, rest, ok := strings.Cut(value, "/")
	password, host, has := strings.Cut(rest, "@")
	if !ok || !has || countName(user) != len(user) || password == "" || host == "" ||
		strings.ContainsAny(password, "/ \t\n") || strings.ContainsAny(host, " \t\n@") {
		return false
	}
	switch strings.ToLower(user) {
	case "sys", "system", "scott", "hr", "oe", "sh", "dba", "apex", "sysdba", "sysman":
		return true
	}
	if strings.HasPrefix(host, "//") {
		return true
	}
	_, port, _ := strings.Cut(host, ":")
	service := strings.TrimLeft(port, "0123456789")
	return len(service) < len(port) && strings.HasPrefix(service, "/")
}

// countName returns how many bytes at the start of the value a name may contain.
func countName(value string) (n int) {
	for n < len(value) && inName(value[n]) {
		n++
	}
	return n
}

// inName reports whether a name may contain c.
func inName(c byte) bool { return classOf(c) != 's' || c == '_' || c == '-' || c == '.' }

// pair reports whether the value is USER:PASSWORD. Either the variable's name says so, or
// the user is one that machines have. A tag, a port and a group are no passwords.
func pair(n name, value string) bool {
	user, password, ok := strings.Cut(value, ":")
	if !ok || len(password) < 4 || strings.ContainsAny(value, " \t\n/=,\"'(<") ||
		strings.Contains(password, ":") || strings.Trim(password, "0123456789.") == "" ||
		password == user {
		return pgpass(value)
	}
	mail := isMail(user)
	if !mail && countName(user) != len(user) || user == "" {
		return false
	}
	switch {
	case mail || n.has("LOGIN", "BASIC", "USERPWD", "USERPASS", "SIGNIN"):
		return true
	case n.account || isAccount(user):
		return !plain(password, 0)
	}
	return strings.ContainsAny(password, "!#$&")
}

// pairs reports whether the value is USER:PASSWORD, or several of them separated by
// commas.
func pairs(n name, value string) bool {
	if !n.account || !strings.Contains(value, ",") {
		return pair(n, value)
	}
	for p := range strings.SplitSeq(value, ",") {
		if !pair(n, strings.TrimSpace(p)) {
			return false
		}
	}
	return true
}

// chosen reports whether the value is one word with a capital, a small letter, a digit
// and a sign, as rules for passwords demand.
func chosen(value string) bool {
	const none = " \t\n/:=,;.%(){}[]<>\"'`|\\~"
	if len(value) < 8 || len(value) > 40 || strings.IndexAny(value, "!#$^&") < 1 ||
		strings.ContainsAny(value, none) {
		return false
	}
	k, _ := evidence(value)
	return k.lower > 1 && k.upper > 0 && k.digits > 0
}

// pgpass reports whether the value is a line of PostgreSQL's password file:
// HOST:PORT:DATABASE:USER:PASSWORD.
func pgpass(value string) bool {
	if strings.Count(value, ":") != 4 {
		return false
	}
	f := strings.Split(value, ":")
	return !strings.ContainsAny(value, " \n/") && f[4] != "" && f[1] != "" &&
		(f[1] == "*" || strings.Trim(f[1], "0123456789") == "") && f[0] != "" &&
		strings.Trim(f[3], "0123456789") != "" && countName(f[3]) == len(f[3])
}

// isAccount reports whether machines and services usually have a user of that name.
func isAccount(user string) bool {
	user = strings.ToLower(user)
	if strings.HasPrefix(user, "svc") || strings.HasPrefix(user, "bot-") ||
		strings.HasSuffix(user, "-bot") || strings.HasSuffix(user, "-ci") ||
		strings.HasPrefix(user, "ci-") || strings.HasSuffix(user, "admin") {
		return true
	}
	switch user {
	case "root", "administrator", "sa", "user", "guest", "bot", "ci", "deploy", "deployer", "robot",
		"service", "elastic", "kibana", "neo4j", "postgres", "mysql", "mongo", "master", "operator",
		"superuser", "replicator", "backup", "oracle", "grafana", "nexus", "jenkins", "rabbitmq",
		"tomcat", "pi", "ubnt", "cisco", "readonly", "readwrite", "monitoring", "exporter":
		return true
	}
	return false
}

// isMail reports whether the text is a mail address.
func isMail(text string) bool {
	user, host, ok := strings.Cut(text, "@")
	return ok && user != "" && strings.Contains(host, ".") && countName(host) == len(host) &&
		!strings.ContainsAny(user, " /:\"'")
}
