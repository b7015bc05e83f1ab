package secret

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// alphabets are what {name:n} stands for in the lists of testdata.
var alphabets = map[string]string{
	"hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "digits": "0123456789",
	"lower":   "abcdefghijklmnopqrstuvwxyz",
	"upper":   "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"base32":  "0123456789abcdfghijklmnpqrsvwxyz",
	"alnum":   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	"base64":  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	"url64":   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
	"base58":  "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
	"letters": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
}

var filling = regexp.MustCompile(`\{(\w+)(?::(\d+))?\}`)

// fill replaces the placeholders of a value by random characters.
func fill(r *rand.Rand, value string) string {
	value = strings.ReplaceAll(value, `\n`, "\n")
	if before, rest, ok := strings.Cut(value, "{b64:"); ok {
		end := strings.LastIndexByte(rest, '}')
		text := fill(r, rest[:end])
		return before + base64.StdEncoding.EncodeToString([]byte(text)) + rest[end+1:]
	}
	return filling.ReplaceAllStringFunc(value, func(p string) string {
		m := filling.FindStringSubmatch(p)
		switch m[1] {
		case "uuid", "UUID":
			s := fill(r, "{hex:8}-{hex:4}-4{hex:3}-a{hex:3}-{hex:12}")
			if m[1] == "UUID" {
				return strings.ToUpper(s)
			}
			return s
		}
		n, err := strconv.Atoi(m[2])
		if alphabets[m[1]] == "" || err != nil {
			return p
		}
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabets[m[1]][r.IntN(len(alphabets[m[1]]))]
		}
		return string(b)
	})
}

// variables reads one of the lists: what commands need and what is secret.
func variables(t testing.TB, file string, seed uint64) (passed, withheld []string) {
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	to := &passed
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "[withheld]":
			to = &withheld
		case strings.Contains(line, "=") && line[0] != '#':
			*to = append(*to, fill(r, line))
		}
	}
	return passed, withheld
}

// TestVariables holds how much Variable has wrong of the list, over several random fillings:
// at most 4 in 150 of what commands need, and 5 in 150 of the secrets.
func TestVariables(t *testing.T) {
	const seeds = 20
	var lost, leaked float64
	wrong := map[string]int{}
	for seed := range uint64(seeds) {
		passed, withheld := variables(t, "variables.txt", seed)
		_, out := Environ(passed, nil)
		in, _ := Environ(withheld, nil)
		lost += float64(len(out)) / float64(len(passed)) / seeds
		leaked += float64(len(in)) / float64(len(withheld)) / seeds
		for _, kv := range slices.Concat(out, in) {
			name, _, _ := strings.Cut(kv, "=")
			wrong[name]++
		}
	}
	t.Logf("lost %.2f %%, leaked %.2f %%, of %d: %v", 100*lost, 100*leaked, seeds, wrong)
	if lost > 4.0/150 || leaked > 5.0/150 {
		t.Errorf("lost %.4f of what commands need, leaked %.4f of the secrets", lost, leaked)
	}
}

// TestVariable holds the causes by which a variable is withheld or not.
func TestVariable(t *testing.T) {
	for kv, want := range map[[2]string]bool{
		// the last word of a name, and joined words
		{"ROOTPW", "x1"}: true, {"MAILPWD", "m4il"}: true, {"INITPWD", "/src/x"}: false,
		{"PASSWORD_RETRIES", "3"}: false, {"STOP_TOKEN", "<|end|>"}: false,
		{"MAX_OUTPUT_TOKENS", "32000"}:             false,
		{"EXIT_CODE", "77"}:                        false,
		{"GIT_CONFIG_KEY_2", "init.defaultBranch"}: false,

		{"GIT_CONFIG_KEY_0", "url.https://u:Xk93jfQp2m@h/.insteadOf"}: true,

		{"LED_PIN", "13"}: false, {"PRIVATE_KEY", "server.pem"}: false,
		{"WT_SESSION", "550e8400-e29b-41d4-a716-446655440000"}:     true,
		{"VENDOR", "550e8400-e29b-41d4-a716-446655440000"}:         true,
		{"VENDOR_ID", "550e8400-e29b-41d4-a716-446655440000"}:      false,
		{"HEROKU_API_KEY", "550e8400-e29b-41d4-a716-446655440000"}: true,
		{"GPG_KEY", "0123456789ABCDEF0123456789ABCDEF01234567"}:    false,
		{"API_KEY", "0123456789ABCDEF0123456789ABCDEF01234567"}:    true,
		// users with passwords
		{"IMAGE_X", "acme:v1.2"}: false, {"DB", "root:Milvus9"}: true,
		{"OWNER", "root:root"}: false, {"X", "kim@example.org:Ab1x"}: true,
		{"X", "acme/widget@v1"}:      false,
		{"X", "kim/pw@//db:1521/XE"}: true, {"X", "db:5432:app:kim:pw1"}: true,
		// options, documents, addresses
		{"X", "-u kim:Br1dge"}: true, {"X", "--rm -u node:docker -p 8080:80"}: false,
		{"X", "-uapp -pTopf1sch"}: true, {"X", "-p no:randomly -n 4"}: false,
		{"X", "--user kim --password h"}: true, {"X", "--password-file /run/x"}: false,
		{"X", "Fix token: refresh it"}: false, {"X", "password = \"t\""}: true,
		{"X", "<password>x</password>"}: true, {"X", `{:password "pw"}`}: true,
		{"X", `{"auth" : "a1b2c3d4"}`}: true, {"X", "http://h?u=kim&p=pw1"}: true,
		{"X", "ldap://cn=a,dc=x:Adm1n@h"}: true, {"MAILER_DSN", "smtp://mail:1025"}: false,
		// hashes, licences, base64 of text
		{"X_HASH", "$2y$10$0123456789012345678901"}: true,
		{"X", "ZGVwbG95Ok54LTk5MTI="}:               true,
		// names that are long, but not random
		{"X", "internationalization"}: false, {"X", "TestUnmarshalJSONWithOptions"}: false,
		{"X", "libstdc++.so.6.0.30-gdb.py"}: false, {"X", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}: false,
		{"X", "2025-06-11T09:22:13+02:00"}: false, {"X", "1.2.3-beta.4+build.567"}: false,
	} {
		if got := Variable(kv[0], kv[1]); got != want {
			t.Errorf("%s=%q: %v, want %v", kv[0], kv[1], got, want)
		}
	}
}

// FuzzVariable holds that what has the form of a secret is withheld under every name, that
// nothing empty is, and that nothing panics.
func FuzzVariable(f *testing.F) {
	passed, withheld := variables(f, "variables.txt", 7)
	for _, kv := range append(passed, withheld...) {
		name, value, _ := strings.Cut(kv, "=")
		f.Add(name, value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		if Variable(name, "") {
			t.Errorf("%q is withheld though it is empty", name)
		}
		if !Variable("X", value) && value != "" && secretForm(value) {
			t.Errorf("%q is passed", value)
		}
	})
}

func TestEnviron(t *testing.T) {
	const marked = "PS1=\x1b]6973;k3J9xQ2mVt7LpR8wZc4NbY6s\aA$ "
	env := []string{marked, "HOME=/h", "API_KEY=a1b2", "NPM_TOKEN=x", "PORT=1", "broken",
		"NPM_TOKEN=y",
		"SET=old", "=C:=x"}
	kept, withheld := Environ(env, []string{"API_KEY", "SET=new", "ABSENT", "NEW=1"})
	if want := []string{marked, "HOME=/h", "API_KEY=a1b2", "PORT=1", "=C:=x", "SET=new",
		"NEW=1"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, not %q", kept, want)
	}
	if want := []string{"NPM_TOKEN"}; !slices.Equal(withheld, want) {
		t.Errorf("withheld %q, not %q", withheld, want)
	}
	if said := Withheld(withheld); !strings.Contains(said, "NPM_TOKEN") ||
		!strings.Contains(said, "--env NAME") || Withheld(nil) != "" {
		t.Errorf("said %q", said)
	}
}

func TestName(t *testing.T) {
	for name, want := range map[string]bool{
		"NPM_TOKEN": true, "dbPassword": true, "GPGPassphrase": true, "SSH_AUTH_SOCK": true,
		"MY_API_KEY_2": true,
		"MAX_TOKENS":   true, // the value tells
		"HOME":         false, "SESSION_ID": false, "TOKEN_LIMIT": false, "COMPASS": false,
		"TOKENIZERS_PARALLELISM": false, "": false,
	} {
		if Name(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestSplitName(t *testing.T) {
	for name, want := range map[string]string{
		"MY_API_KEY": "MY API KEY", "clientSecret": "CLIENT SECRET",
		"HTTPServerToken": "HTTP SERVER TOKEN", "auth0-domain.x": "AUTH DOMAIN X",
		"__A1__B": "A B", "V2": "V", "42": "", "ÄsUmlaut": "ÄS UMLAUT",
	} {
		if got := strings.Join(splitName(name), " "); got != want {
			t.Errorf("%q: %q, not %q", name, got, want)
		}
	}
}

func BenchmarkEnviron(b *testing.B) {
	passed, withheld := variables(b, "variables.txt", 1)
	env := append(passed[:80:80], withheld[:10]...)
	for b.Loop() {
		Environ(env, nil)
	}
}
