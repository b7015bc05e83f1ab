package redact

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// key makes a key of a known format, so that no whole one stands in this file.
func key(prefix, alphabet string, n int) string {
	b := []byte(prefix)
	for i := range n {
		b = append(b, alphabet[(i*7+3)%len(alphabet)])
	}
	return string(b)
}

const (
	mixed   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	hexes   = "0123456789abcdef"
)

func block(label string, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-----BEGIN %s-----\n", label)
	for range lines {
		b.WriteString(key("", mixed+"+/", 64) + "\n")
	}
	fmt.Fprintf(&b, "-----END %s-----", label)
	return b.String()
}

// samples are texts, the secret in each, and its kind; no secret: the text stays.
func samples() []struct{ text, secret, kind string } {
	aws := key("AKIA", capital, 16)
	gh := key("ghp_", mixed, 36)
	jwt := key("eyJ", mixed, 33) + "." + key("eyJ", mixed, 60) + "." + key("", mixed, 43)
	secret := key("", mixed, 24)
	return []struct{ text, secret, kind string }{
		{"id " + aws + " end", aws, "aws_access_key"},
		{aws, aws, "aws_access_key"},
		{"x" + aws, "", ""},
		{aws + "ABC", "", ""},
		{"remote: https://" + gh + "@github.com/x", gh, "github_token"},
		{`{"t":"` + gh + `"}`, gh, "github_token"},
		{"sk-" + key("", mixed, 48) + "\n", "sk-" + key("", mixed, 48), "api_key"},
		{key("sk-ant-api03-", mixed, 93), key("sk-ant-api03-", mixed, 93), "anthropic_key"},
		{"task-" + key("", mixed, 48), "", ""},
		{"Cookie: a=" + jwt + ";", jwt, "jwt"},
		{"eyJ" + key("", mixed, 60), "", ""},
		{"before\n" + block("RSA PRIVATE KEY", 20) + "\nafter", block("RSA PRIVATE KEY", 20),
			"private_key"},
		{"k: " + strings.ReplaceAll(block("OPENSSH PRIVATE KEY", 9), "\n", `\n`) + `" and more`,
			strings.ReplaceAll(block("OPENSSH PRIVATE KEY", 9), "\n", `\n`), "private_key"},
		{`if strings.HasPrefix(s, "-----BEGIN RSA PRIVATE KEY-----") { return true }`, "", ""},
		{block("CERTIFICATE", 9), "", ""},
		{"export API_KEY=" + secret, secret, "assigned_secret"},
		{"DB_PASSWORD=hunter2x\n", "hunter2x", "assigned_secret"},
		{"DB_PASSWORD=$OTHER_PASSWORD1\n", "", ""},
		{"mysql --password=hunter2x -u me", "hunter2x", "assigned_secret"},
		{`"password": "hunter2x",`, "hunter2x", "assigned_secret"},
		{`password: string`, "", ""},
		{`token = parse(t1, t2)`, "", ""},
		{`token := lexer.nextToken(12)`, "", ""},
		{`the secret of 42 is: keep going`, "", ""},
		{`secretName: my-secret-v10-prod2`, "", ""},
		{"Authorization: Bearer " + secret, secret, "assigned_secret"},
		{"curl -H 'Proxy-Authorization: bearer " + secret + "'", secret, "assigned_secret"},
		{"postgres://app:s3cr3tpw@db:5432/x", "s3cr3tpw", "url_password"},
		{"https://example.com:8080/a@b", "", ""},
		{"https://user:pass@host/", "", ""},
		{`encodePassword: "encodePassword",`, "", ""},
		{"--password=correcthorsebattery", "correcthorsebattery", "assigned_secret"},
		{"https://user:${PASSWORD}@host/", "", ""},
		{"https://user:[redacted:url_password]@host/ password=[redacted:assigned_secret]", "", ""},
		{"a value-of-mine-42 b", "value-of-mine-42", "given"},
		{"client_secret: '" + secret + "'", secret, "assigned_secret"},
		{`\"apiKey\": \"` + secret + `\"`, secret, "assigned_secret"},
		{key("hvs.", mixed, 90), key("hvs.", mixed, 90), "vault_token"},
		{"bot123456789:AA" + key("", mixed, 33), ":AA" + key("", mixed, 33), "telegram_token"},
		{"AccountKey=" + key("", mixed, 86) + "==", key("", mixed, 86) + "==", "assigned_secret"},
		{key("sk-proj-", mixed, 3000) + " tail", key("sk-proj-", mixed, 3000), "openai_key"},
	}
}

func testSet() *Set {
	return NewSet(map[string]string{"value-of-mine-42": "given",
		"short": "given"})
}

func TestText(t *testing.T) {
	set := testSet()
	for _, c := range samples() {
		want, counts := c.text, map[string]int(nil)
		if c.secret != "" {
			want = strings.Replace(c.text, c.secret, "[redacted:"+c.kind+"]", 1)
			counts = map[string]int{c.kind: 1}
		}
		got, n := set.Text(c.text)
		if got != want || !maps.Equal(n, counts) {
			t.Errorf("%.200q\n became %.200q %v\n    want %.200q %v", c.text, got, n, want, counts)
		}
	}
}

// TestSplit splits every case at every byte: the result is always the same.
func TestSplit(t *testing.T) {
	set := testSet()
	for _, c := range samples() {
		whole, _ := set.Text(c.text)
		for i := range len(c.text) {
			if got := pieces(set, []byte(c.text), i); got != whole {
				t.Fatalf("split at %d: %.300q\nwant %.300q", i, got, whole)
			}
		}
		if got := pieces(set, []byte(c.text), slices.Repeat([]int{1}, len(c.text))...); got != whole {
			t.Fatalf("byte by byte: %.300q\nwant %.300q", got, whole)
		}
	}
}

// pieces redacts text in pieces of the sizes, and the rest.
func pieces(set *Set, text []byte, sizes ...int) string {
	var out []byte
	s := set.Stream(func(p []byte) { out = append(out, p...) })
	for _, n := range sizes {
		space := s.Space(n + 5)
		s.Write(space[:copy(space, text[:n])])
		text = text[n:]
	}
	s.Write(text)
	s.Flush()
	return string(out)
}

// tabled redacts text with the set's tables, however short it is.
func tabled(set *Set, text string) string {
	var out []byte
	s := set.Stream(func(p []byte) { out = append(out, p...) })
	s.Settle()
	s.Write([]byte(text))
	s.Flush()
	return string(out)
}

// TestShort: a short text becomes the same without tables, which are not made for one
// without the start of a secret.
func TestShort(t *testing.T) {
	for _, text := range []string{"", "hello 0\n", "a\xffb K\u212a", strings.Repeat("x", short)} {
		set := testSet()
		if got, counts := set.Text(text); got != text || counts != nil || set.all != nil {
			t.Errorf("%q became %q %v, tables made: %v", text, got, counts, set.all != nil)
		}
	}
	set := testSet()
	var texts []string
	for _, c := range samples() {
		texts = append(texts, c.text, strings.ToUpper(c.text))
	}
	for i := range formats() {
		start := formats()[i].start
		texts = append(texts, start, strings.ToUpper(start)+" = 'a1b2c3d4e5f6'")
	}
	for _, text := range texts {
		if got, _ := set.Text(text); got != tabled(set, text) {
			t.Errorf("%.200q became %.200q, with tables %.200q", text, got, tabled(set, text))
		}
	}
}

// TestSettle settles after every piece: lines come out whole, secrets don't.
func TestSettle(t *testing.T) {
	for _, c := range samples() {
		var out []byte
		s := testSet().Stream(func(p []byte) { out = append(out, p...) })
		whole, _ := testSet().Text(c.text + "\n")
		for i := range c.text {
			s.Write([]byte(c.text[i : i+1]))
			s.Settle()
		}
		s.Write([]byte("\n"))
		if s.Settle(); string(out) != whole {
			t.Errorf("%.200q became %.200q", c.text, out)
		}
	}
}

func TestHoldsLittle(t *testing.T) {
	out := 0
	s := testSet().Stream(func(p []byte) { out += len(p) })
	for _, start := range []string{"token=", "://", "-----BEGIN PRIVATE KEY-----",
		key("AKIA", capital, 3), "sk-"} {
		s.Write([]byte(start))
		for range 100 {
			s.Write(bytes.Repeat([]byte("a"), 100))
		}
		if len(s.work) > 2048 {
			t.Errorf("%q: %d bytes are held", start, len(s.work))
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, c := range samples() {
		f.Add([]byte(c.text), uint16(7), uint16(30), uint8(1))
	}
	set := testSet()
	f.Fuzz(func(t *testing.T, text []byte, a, b uint16, which uint8) {
		whole, _ := set.Text(string(text))
		if got := tabled(set, string(text)); got != whole {
			t.Fatalf("with tables %q, without %q", got, whole)
		}
		i := min(int(a), len(text))
		j := min(int(b), len(text)-i)
		if got := pieces(set, text, i, j); got != whole {
			t.Fatalf("split at %d and %d: %q, whole: %q", i, i+j, got, whole)
		}
		all := samples()
		if c := all[int(which)%len(all)]; c.secret != "" && i > 0 {
			planted := string(text[:i]) + "\n\x00" + c.text + "\x00\n" + string(text[i:])
			got, _ := set.Text(planted)
			if strings.Contains(got, c.secret) && !strings.Contains(string(text), c.secret) {
				t.Fatalf("the secret is left in %q", got)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	prose := []byte(strings.Repeat("the quick brown fox jumps over the lazy dog, and the build "+
		"takes 12 s\n", 900))
	code := []byte(strings.Repeat("\tif err := s.queue.put(item{line: event.Error(s.env.Name, "+
		"bad.Error(), false)}); err != nil {\n", 690))
	random := []byte(key("", mixed+"\n", 64<<10))
	for _, c := range []struct {
		name string
		text []byte
	}{{"prose", prose}, {"code", code}, {"base64", random}} {
		b.Run(c.name, func(b *testing.B) {
			s := testSet().Stream(func([]byte) {})
			b.SetBytes(int64(len(c.text)))
			for range b.N {
				s.Write(c.text)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for range b.N {
		testSet().Stream(nil)
	}
}
