package secret

import "strings"

// The lists of words of names, in capitals and singular. Each is a switch, which the
// compiler makes a search without a table: nothing is built when a program starts.

// has reports whether the list has the word, in its singular.
func has(list func(string) bool, word string) bool {
	return list(word) || strings.HasSuffix(word, "S") && list(word[:len(word)-1])
}

// ends reports whether the word has one of the ends.
func ends(word string, list ...string) bool {
	for _, end := range list {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// isSure reports whether the word speaks for a secret that only a value which can be
// none clears.
func isSure(word string) bool {
	switch word {
	case "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PASSCODE", "PASSWORT",
		"PW", "PWD", "PSW", "PAT", "CREDENTIAL", "CRED", "JWT", "MNEMONIC", "BEARER",
		"AUTHORIZATION", "APIKEY", "SOCK", "PSK", "SESSIONID":
		return true
	}
	return ends(word, "SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "APIKEY",
		"ACCESSKEY", "PRIVATEKEY", "SECRETKEY", "AUTHKEY", "CREDENTIAL")
}

// isLikely reports whether the word speaks for a secret if the value looks like one.
func isLikely(word string) bool {
	switch word {
	case "KEY", "AUTH", "OAUTH", "SESSION", "COOKIE", "DSN", "WEBHOOK", "SALT", "PEPPER", "SEED",
		"PIN", "OTP", "NONCE", "SIG", "SIGNATURE", "LICENSE", "LICENCE", "SAS", "CONNSTR",
		"IDENT", "HMAC":
		return true
	}
	return ends(word, "KEY", "PASSWORDS")
}

// makesKeySure reports whether the word before KEY makes it the name of a secret
// without a doubt.
func makesKeySure(word string) bool {
	switch word {
	case "API", "ACCESS", "SECRET", "PRIVATE", "MASTER", "ENCRYPTION", "ENC", "CRYPTO", "CIPHER",
		"SIGNING", "LICENSE", "AUTH", "ADMIN", "ACCOUNT", "SERVICE", "SSH", "DEPLOY", "APP":
		return true
	}
	return false
}

// makesKeyOther reports whether the word before KEY makes it the name of something else.
func makesKeyOther(word string) bool {
	switch word {
	case "CACHE", "SORT", "PARTITION", "PRIMARY", "FOREIGN", "SHARD", "RANGE", "HOT", "CONFIG":
		return true
	}
	return false
}

// makesKeyPublic reports whether the word before KEY makes it the public half of a pair.
func makesKeyPublic(word string) bool {
	switch word {
	case "PUBLIC", "PUBLISHABLE", "PUB":
		return true
	}
	return false
}

// isInnocent reports whether the word only ends like one that speaks for a secret.
func isInnocent(word string) bool {
	switch word {
	case "BYPASS", "COMPASS", "ASKPASS", "ENCOMPASS", "TRESPASS", "MONKEY", "DONKEY", "TURKEY",
		"HOTKEY", "HOCKEY", "WHISKEY":
		return true
	}
	return false
}

// isSetting reports whether the word, as the last one of a name, is a property of a secret.
func isSetting(word string) bool {
	switch word {
	case "LIMIT", "VERSION", "ENABLED", "DISABLED", "ENABLE", "DISABLE", "TTL", "TIMEOUT",
		"EXPIRY", "EXPIRE", "EXPIRATION", "EXP", "IN", "DAY", "HOUR", "MINUTE", "SECOND", "MS",
		"LENGTH", "LEN", "SIZE", "COUNT", "MAX", "MIN", "TYPE", "NAME", "URL", "URI", "ENDPOINT",
		"HOST", "HOSTNAME", "PORT", "PATH", "FILE", "FILENAME", "DIR", "DIRECTORY", "FOLDER",
		"LOCATION", "HOME", "ROOT", "ALGORITHM", "ALG", "ALGO", "ISSUER", "AUDIENCE", "HEADER",
		"PREFIX", "SUFFIX", "MODE", "METHOD", "POLICY", "PROVIDER", "BACKEND", "STORE",
		"STORAGE", "DRIVER", "ENGINE", "DOMAIN", "REALM", "REQUIRED", "REQUIRE", "ROTATION",
		"FORMAT", "ROUND", "COST", "REGION", "ARN", "LEVEL", "STRATEGY", "AGE", "LIFETIME",
		"DURATION", "INTERVAL", "SAMESITE", "SECURE", "HTTPONLY", "SCOPE", "CLAIM", "CLASS",
		"SERVICE", "SERVER", "ADDR", "BYTE", "BIT", "CURVE", "CIPHER", "USAGE", "SERIALIZER",
		"DESERIALIZER", "CHECKING", "HELPER", "COMMAND", "CMD", "PROGRAM", "MANAGER", "TABLE",
		"COLUMN", "FIELD", "USER", "USERNAME", "ALIAS", "PARALLELISM", "MECHANISM", "CONNECTION",
		"PLUGIN", "MODEL", "HASHER", "PROJECT", "BUDGET", "QUOTA", "WINDOW", "RATE", "DELAY", "RETRY",
		"LEEWAY",
		"SKEW", "THRESHOLD", "BATCH", "BUCKET", "PERCENT", "PERIOD", "GRACE", "YEAR", "WORKER", "POOL",
		"WEIGHT", "DEPTH", "OFFSET", "VALIDITY", "WIDTH", "CAPACITY", "BURST", "CONCURRENCY":
		return true
	}
	return false
}

// identifies reports whether the word names a thing that has a random identifier.
func identifies(word string) bool {
	switch word {
	case "SHA", "COMMIT", "REV", "REVISION", "REF", "HASH", "DIGEST", "CHECKSUM", "ID", "UUID",
		"GUID", "SID", "ETAG", "FINGERPRINT", "TRACEPARENT", "TRACE", "BUILD", "VERSION", "TAG",
		"IMAGE", "INTEGRITY", "SLUG", "RELEASE", "PARENT", "STREAM", "VCS", "ORGANIZATION",
		"ORG", "ACCOUNT", "PROJECT", "TEAM", "TENANT", "TENANCY", "SUBSCRIPTION", "WORKSPACE",
		"RECIPIENT":
		return true
	}
	return ends(word, "COMMIT", "VERSION", "ID", "SHA", "REVISION")
}
