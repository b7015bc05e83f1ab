package secret

import "strings"

// The lists of words of names, in capitals and singular. Each is a switch, which the
// compiler makes a search without a table: nothing is built when a program starts.

// has reports whether the list has the word, or its singular.
func has(list func(string) bool, word string) bool {
	stem, several := strings.CutSuffix(word, "S")
	return list(word) || several && (list(stem) ||
		strings.HasSuffix(stem, "IE") && list(stem[:len(stem)-2]+"Y"))
}

// ends reports whether the word has one of the endings.
func ends(word string, list ...string) bool {
	for _, end := range list {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// isSure reports whether the word means a secret unless the value cannot be one. For
// joined words such as DBPASSWORD and ROOTPW, the ending counts.
func isSure(word string) bool {
	switch word {
	case "PASS", "PASSWORT", "PW", "PWD", "PSW", "PAT", "CRED", "JWT", "MNEMONIC", "BEARER",
		"AUTHORIZATION", "SOCK", "PSK", "SESSIONID":
		return true
	}
	return ends(word, "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "APIKEY",
		"ACCESSKEY", "PRIVATEKEY", "SECRETKEY", "AUTHKEY", "CREDENTIAL", "CREDENTIALS", "CREDS",
		"SEEDPHRASE") || len(word) > 3 && ends(word, "PASS", "PW", "PSK") ||
		len(word) > 4 && ends(word, "PWD")
}

// isLikely reports whether the word means a secret if the value looks like one.
func isLikely(word string) bool {
	switch word {
	case "KEY", "AUTH", "OAUTH", "SESSION", "COOKIE", "DSN", "WEBHOOK", "SALT", "PEPPER", "SEED",
		"PIN", "PUK", "OTP", "TOTP", "NONCE", "SIG", "SIGNATURE", "LICENSE", "LICENCE", "SAS", "CONNSTR",
		"IDENT", "HMAC", "SIGNER":
		return true
	}
	return ends(word, "KEY")
}

// makesKeySure reports whether KEY after the word certainly means a secret.
func makesKeySure(word string) bool {
	switch word {
	case "API", "ACCESS", "SECRET", "PRIVATE", "MASTER", "ENCRYPTION", "ENC", "CRYPTO", "CIPHER",
		"SIGNING", "LICENSE", "AUTH", "ADMIN", "ACCOUNT", "SERVICE", "SSH", "DEPLOY", "APP":
		return true
	}
	return false
}

// makesKeyOther reports whether KEY after the word means something else.
func makesKeyOther(word string) bool {
	switch word {
	case "CACHE", "SORT", "PARTITION", "PRIMARY", "FOREIGN", "SHARD", "RANGE", "HOT", "CONFIG",
		"EXPERIMENT":
		return true
	}
	return false
}

// makesTokenOther reports whether TOKEN after the word means a mark of a language model,
// of a parser, or of a desktop that starts programs.
func makesTokenOther(word string) bool {
	switch word {
	case "STOP", "PAD", "BOS", "EOS", "EOT", "SEP", "CLS", "MASK", "UNK", "SPECIAL", "ADDED", "IMAGE",
		"DELIMITER", "CONTROL", "END", "BEGIN", "START", "ACTIVATION", "CANCELLATION", "DECODER",
		"THINK",
		"FIM":
		return true
	}
	return false
}

// makesSessionOther reports whether SESSION after the word means the session of a
// terminal, a desktop or a test, which grants nothing.
func makesSessionOther(word string) bool {
	switch word {
	case "WT", "ATUIN", "TERM", "ITERM", "XDG", "DESKTOP", "DBUS", "KDE", "GNOME", "PLASMA", "SHELL",
		"STARSHIP", "TMUX", "ZELLIJ", "SCREEN", "BYOBU", "HISTDB", "MCFLY", "CURRENT", "XDEBUG",
		"WAYLAND", "X", "KONSOLE", "KITTY", "WEZTERM", "GHOSTTY", "FISH", "ZSH", "TILIX":
		return true
	}
	return false
}

// makesCodeLikely reports whether CODE after the word means one that opens something.
func makesCodeLikely(word string) bool {
	switch word {
	case "UNLOCK", "RECOVERY", "BACKUP", "SCRATCH", "ACCESS", "INVITE", "VERIFICATION", "AUTH",
		"PIN", "SECURITY", "PAIRING", "DOOR", "ACTIVATION", "RESET", "LOGIN", "SETUP":
		return true
	}
	return false
}

// makesKeyPublic reports whether KEY after the word means the public half of a pair.
func makesKeyPublic(word string) bool {
	switch word {
	case "PUBLIC", "PUBLISHABLE", "PUB", "SITE", "VERIFY", "VERIFICATION", "VERIFYING":
		return true
	}
	return false
}

// isInnocent reports whether the word only ends like one that means a secret.
func isInnocent(word string) bool {
	switch word {
	case "BYPASS", "COMPASS", "ASKPASS", "ENCOMPASS", "TRESPASS", "MONKEY", "DONKEY", "TURKEY",
		"HOTKEY", "HOCKEY", "WHISKEY", "PUBKEY", "PUBLICKEY", "PASSKEY", "UNDERPASS", "OVERPASS",
		"LOWPASS", "HIGHPASS", "BANDPASS", "MULTIPASS", "INITPWD", "OLDPWD", "SOCKS":
		return true
	}
	return false
}

// isSetting reports whether the word, as the last one of a name, means a property of a
// secret.
func isSetting(word string) bool {
	switch word {
	case "LIMIT", "VERSION", "ENABLED", "DISABLED", "ENABLE", "DISABLE", "TTL", "TIMEOUT",
		"EXPIRY", "EXPIRE", "EXPIRATION", "EXP", "IN", "DAY", "HOUR", "MINUTE", "SECOND", "MS",
		"LENGTH", "LEN", "SIZE", "COUNT", "MAX", "MIN", "TYPE", "NAME", "URL", "URI", "ENDPOINT",
		"HOST", "HOSTNAME", "PORT", "PATH", "FILE", "FILENAME", "DIR", "DIRECTORY", "FOLDER",
		"LOCATION", "HOME", "ROOT", "ALGORITHM", "ALG", "ALGO", "ISSUER", "ISS", "AUDIENCE", "AUD",
		"HEADER", "REF", "ENV", "VAR",
		"PREFIX", "SUFFIX", "MODE", "METHOD", "POLICY", "PROVIDER", "BACKEND", "STORE",
		"STORAGE", "DRIVER", "ENGINE", "DOMAIN", "REALM", "REQUIRED", "REQUIRE", "ROTATION",
		"FORMAT", "ROUND", "COST", "REGION", "ARN", "LEVEL", "STRATEGY", "AGE", "LIFETIME",
		"DURATION", "INTERVAL", "SAMESITE", "SECURE", "HTTPONLY", "SCOPE", "CLAIM", "CLASS",
		"SERVICE", "SERVER", "ADDR", "ADDRESS", "BYTE", "BIT", "CURVE", "CIPHER", "USAGE",
		"SERIALIZER", "DESERIALIZER", "CHECKING", "HELPER", "COMMAND", "CMD", "PROGRAM", "MANAGER",
		"TABLE", "COLUMN", "FIELD", "USER", "USERNAME", "ALIAS", "PARALLELISM", "MECHANISM",
		"CONNECTION", "PLUGIN", "MODEL", "HASHER", "PROJECT", "BUDGET", "QUOTA", "WINDOW", "RATE",
		"DELAY", "RETRY", "LEEWAY", "SKEW", "THRESHOLD", "BATCH", "BUCKET", "PERCENT", "PERIOD",
		"GRACE", "YEAR", "WORKER", "POOL", "WEIGHT", "DEPTH", "OFFSET", "VALIDITY", "WIDTH",
		"CAPACITY", "BURST", "CONCURRENCY", "TIME", "DATE", "ATTEMPT", "HISTORY", "COMPLEXITY",
		"ENTROPY", "CHARSET", "PROTO", "PROTOCOL", "SCHEME", "LABEL", "TITLE", "DESCRIPTION",
		"REUSE", "KIND", "ENCODING", "NAMESPACE", "STATUS", "STATE", "ACTION", "FLAG", "PROMPT",
		"ALLOWED", "OPTIONAL", "SUPPORT", "NUMBER", "KB", "MB", "GB", "HTTP", "HTTPS", "TCP", "UDP",
		"GRPC", "EXTENSION", "TOOL", "SOURCE", "SCAN", "SCANNER", "SCANNING", "ROTATE", "REFRESH",
		"REDIRECT", "TEMPLATE", "CHECK", "VALIDATION", "VALIDATOR", "GENERATOR", "RENEWAL",
		"THROTTLE", "EMAIL", "LAYOUT", "REPEAT", "BINDING", "MAP", "ORDER", "GROUP", "VENDOR",
		"PRINCIPAL",
		"PENALTY", "RATIO", "FACTOR", "SCORE":
		return true
	}
	return false
}

// identifies reports whether the word, as the last one of a name, means a thing with a
// random identifier or name.
func identifies(word string) bool {
	switch word {
	case "ID", "UUID", "GUID", "UID", "UDID", "SID", "HASH", "DIGEST", "CHECKSUM", "MD", "ETAG",
		"FINGERPRINT", "TRACEPARENT", "TRACESTATE", "TRACE", "SPAN", "INTEGRITY", "SLUG", "RELEASE",
		"STREAM", "ORGANIZATION", "ORGANISATION", "ORG", "ACCOUNT", "PROJECT", "TEAM", "TENANT",
		"TENANCY", "SUBSCRIPTION", "WORKSPACE", "RECIPIENT", "NAME", "HOST", "HOSTNAME", "POD",
		"NODE", "COLOR", "COLOUR", "ADDRESS", "NAMESPACE", "IMAGE", "BUCKET", "CONTAINER", "ARN",
		"LABEL", "TRUST", "SERIAL":
		return true
	}
	if stem, ok := strings.CutSuffix(word, "ID"); ok {
		return ends(stem, "BUILD", "CLIENT", "PROJECT", "COLLECTION", "PLAN", "TASK", "JOB", "RUN",
			"USER", "GROUP", "APP", "TENANT", "NODE", "TRACE", "SPAN", "KEY", "FOR", "PROCESS",
			"MACHINE", "DEVICE",
			"HOST", "THREAD", "WINDOW", "AGENT", "TEST", "REQUEST", "DEPLOY", "PIPELINE", "INSTANCE",
			"CLUSTER", "SESSION", "RUNU", "DEFINITION", "REPOSITORY", "ACCOUNT", "SERVICE", "VOLUME")
	}
	return ends(word, "UUID", "COLORS", "SUM")
}

// isRevision reports whether the word means a state of files or a run of a program, which
// hexadecimal digits or a UUID identify.
func isRevision(word string) bool {
	switch word {
	case "SHA", "COMMIT", "REV", "REVISION", "REF", "HEAD", "BASE", "BEFORE", "AFTER", "BUILD",
		"VERSION", "TAG", "RELEASE", "PARENT", "VCS", "CHANGESET", "SNAPSHOT", "ARTIFACT", "DESCRIBE",
		"RUN", "DEVICE", "CHECKSUM", "DIGEST", "FINGERPRINT", "TRACE", "HASH", "CORRELATION",
		"INVOCATION", "INSTANCE", "EXPERIMENT", "JOBCOOKIE", "UUID", "GUID", "PROFILE":
		return true
	}
	return ends(word, "COMMIT", "VERSION", "SHA", "REVISION", "GITHASH", "SRCREV")
}
