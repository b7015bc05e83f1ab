package secret

import (
	"encoding/base64"
	"fmt"
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

var placeholder = regexp.MustCompile(`\{(\w+)(?::(\d+))?\}`)

// fill replaces the placeholders of a value by random characters.
func fill(r *rand.Rand, value string) string {
	value = strings.ReplaceAll(value, `\n`, "\n")
	if before, rest, ok := strings.Cut(value, "{b64:"); ok {
		end := strings.LastIndexByte(rest, '}')
		text := fill(r, rest[:end])
		return before + base64.StdEncoding.EncodeToString([]byte(text)) + rest[end+1:]
	}
	return placeholder.ReplaceAllStringFunc(value, func(p string) string {
		m := placeholder.FindStringSubmatch(p)
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

// judge is what Variable has wrong of a list, over several random fillings.
func judge(t *testing.T, file string) (lost, leaked float64) {
	const seeds = 20
	wrong := map[string]int{}
	for seed := range uint64(seeds) {
		passed, withheld := variables(t, file, seed)
		_, out := Environ(passed, nil)
		in, _ := Environ(withheld, nil)
		lost += float64(len(out)) / float64(len(passed)) / seeds
		leaked += float64(len(in)) / float64(len(withheld)) / seeds
		for _, name := range out {
			wrong["lost "+name]++
		}
		for _, kv := range in {
			name, _, _ := strings.Cut(kv, "=")
			wrong["leaked "+name]++
		}
	}
	var list []string
	for name, n := range wrong {
		list = append(list, fmt.Sprintf("%s %d/%d", name, n, seeds))
	}
	slices.Sort(list)
	t.Logf("%s: lost %.2f %%, leaked %.2f %%\n%s", file, 100*lost, 100*leaked,
		strings.Join(list, "\n"))
	return lost, leaked
}

func TestLists(t *testing.T) {
	for _, file := range []string{"tuned.txt", "measured.txt", "ecosystems.txt", "later.txt",
		"rare.txt"} {
		if lost, leaked := judge(t, file); lost > 5.0/150 || leaked > 1.0/150 {
			t.Errorf("%s: lost %.4f of what commands need (at most 5 in 150), leaked %.4f of the secrets "+
				"(1 in 150)", file, lost, leaked)
		}
	}
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

// FuzzVariable holds that no value is withheld for its name alone when it is
// empty, that what is withheld by value is withheld under every name, and that
// nothing panics.
func FuzzVariable(f *testing.F) {
	for _, file := range []string{"tuned.txt", "measured.txt"} {
		passed, withheld := variables(f, file, 7)
		for _, kv := range append(passed, withheld...) {
			name, value, _ := strings.Cut(kv, "=")
			f.Add(name, value)
		}
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		is := Variable(name, value)
		if Variable(name, "") {
			t.Errorf("%q is withheld though it is empty", name)
		}
		if !is && name != "PWD" && name != "OLDPWD" && known(readName(name), value) {
			t.Errorf("%q passes %q, which is known to be a secret", name, value)
		}
	})
}

// FuzzForms holds the forms that are read by hand to the patterns that say what they
// are, and what is asked before a pattern is compiled to the pattern.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{
		"user:pw@host/db", "user:pw@tcp(h:1)/db", "u.s-e_r:p:w@unix(/x)", "user:pw@host:5432/db",
		"user:pw@host:/db", "user:@host/", ":pw@host/", "user:p w@host/", "user:p/w@h/", "a:b@c@d/",
		"a:b@/", "a:\xff@h/x", "550e8400-e29b-41d4-a716-446655440000",
		"x550E8400-e29b-41d4-a716-446655440000550e8400-e29b-41d4-a716-44665544000F-", "Bearer abcdefgh",
		"-H AUTHORIZATION: x abcdefgh", "x-api-\u212aey: abcdefgh", "sha256:ab age1", " arn:aws:iam",
	} {
		f.Add(seed)
	}
	database := regexp.MustCompile(`^[\w.-]+:[^\s/@]+@(tcp\(|unix\(|[\w.-]+(:\d+)?/)`)
	uuid := regexp.MustCompile(`(?i)[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}`)
	f.Fuzz(func(t *testing.T, value string) {
		if got, want := login(value), database.MatchString(value); got != want {
			t.Errorf("login(%q) is %v", value, got)
		}
		if got, want := withoutUUIDs(value), uuid.ReplaceAllString(value, " "); got != want {
			t.Errorf("without UUIDs, %q is %q, not %q", value, got, want)
		}
		if header().MatchString(value) && strings.Contains(value, " ") && !namesHeader(value) {
			t.Errorf("%q has a header", value)
		}
	})
}

func BenchmarkEnviron(b *testing.B) {
	passed, withheld := variables(b, "measured.txt", 1)
	env := append(passed[:80:80], withheld[:10]...)
	for b.Loop() {
		Environ(env, nil)
	}
}

func TestPhrase(t *testing.T) {
	twelve := strings.TrimSpace(strings.Repeat("legal winner ", 6))
	for value, want := range map[string]bool{
		twelve: true, twelve + " " + twelve: true, twelve[len("legal "):]: false,
		twelve + " " + twelve + " year": false, strings.Replace(twelve, "legal", "Legal", 1): false,
		strings.Replace(twelve, "legal", "up", 1): false, twelve + " ": false,
		strings.Replace(twelve, "legal", "mountains", 1): false, "": false,
	} {
		if got := phrase(value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
