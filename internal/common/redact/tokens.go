package redact

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// A row is one format of secrets: a fixed start and what follows it. To redact another
// format, add a line to tokens.txt. The tests then check it like all others.
type row struct {
	kind  string // as it stands in "[redacted:KIND]"
	start string // at least three bytes; what makes text be taken for a secret
	then  class  // the bytes that may follow
	min   int    // how many must, at least
	max   int    // and at most; 0: any number
	form  form
}

// A form says what the start of a row begins.
type form int

const (
	plainKey   form = iota // a key: no letter, digit or _ stands before it
	partKey                // a key from its second part on
	dottedKey              // a plainKey with a dot in what follows
	uuidKey                // a plainKey of which the rest is a UUID
	assignment             // a name, in any case, that secrets are assigned to
	address                // a URL that may hold a password
	pemBlock               // a private key
	givenValue             // a value that the caller gave
)

// formats returns the rows of tokens.txt.
var formats = sync.OnceValue(func() (rows []row) {
	classes := map[string]class{"alnum": alnum, "upper": upper, "hexadecimal": hexadecimal,
		"word": word, "dotted": dotted, "base64": base64, "value": value}
	forms := map[string]form{"key": plainKey, "part": partKey, "dotted": dottedKey, "uuid": uuidKey,
		"assigned": assignment, "address": address, "pem": pemBlock}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		least, _ := strconv.Atoi(f[2])
		most, _ := strconv.Atoi(f[3])
		for _, start := range f[5:] {
			start = strings.ReplaceAll(start, "␠", " ")
			rows = append(rows, row{f[0], start, classes[f[1]], least, most, forms[f[4]]})
		}
	}
	return rows
})

//go:embed tokens.txt
var table string

// placeholders are parts of values that stand for a secret but are none.
var placeholders = [...]string{
	"example", "changeme", "your", "xxxx", "placeholder", "redacted", "dummy", "****", "undefined",
	"process.env", "os.environ",
}

// emptyPasswords are passwords in URLs that only show where one belongs.
var emptyPasswords = [...]string{
	"pass", "password", "PASSWORD", "secret", "xyz", "xxx", "pw", "pwd",
}
