package secret

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestVariable holds the causes that the lists have by chance only to their values.
func TestVariable(t *testing.T) {
	for kv, want := range map[[2]string]bool{
		// the last word of a name, and joined words
		{"ROOTPW", "x1"}: true, {"LDAP_BINDPW", "x"}: true, {"MAILPWD", "m4il"}: true,
		{"INITPWD", "/src/x"}: false, {"SOCKS_PROXY", "socks5://10.0.0.1:1080"}: false,
		{"PASSWORD_RETRIES", "3"}: false, {"PASSWORD_STORE_CLIP_TIME", "45"}: false,
		{"STOP_TOKEN", "<|end|>"}: false, {"TOKENS", "[CLS],[SEP]"}: false,
		{"TOKEN", "<abc"}: true, {"WT_SESSION", "550e8400-e29b-41d4-a716-446655440000"}: false,
		{"APP_SESSION", "550e8400-e29b-41d4-a716-446655440000"}:        true,
		{"GPG_KEY", "0123456789ABCDEF0123456789ABCDEF01234567"}:        false,
		{"API_KEY", "0123456789ABCDEF0123456789ABCDEF01234567"}:        true,
		{"SIGNING_KEY", "kim@example.org"}:                             false,
		{"HEROKU_API_KEY", "550e8400-e29b-41d4-a716-446655440000"}:     true,
		{"VENDOR", "550e8400-e29b-41d4-a716-446655440000"}:             true,
		{"VENDOR_ID", "550e8400-e29b-41d4-a716-446655440000"}:          false,
		{"X_PUBLIC_DSN", "https://0123456789abcdef01@s.example.com/1"}: false,
		{"X_DSN", "https://0123456789abcdef01@s.example.com/1"}:        true,
		{"UNLOCK_CODE", "7731-2290"}:                                   true, {"EXIT_CODE", "77"}: false,
		{"JWT_LIB", "jose"}: false, {"JWT", "jose"}: true, {"TOKEN_DB", "tok3n"}: true,
		{"PASSWORD_DB", "jose"}: true, {"LED_PIN", "13"}: false, {"PIN", "4821"}: true,
		{"PRIVATE_KEY", "server.pem"}: false, {"MAILER_DSN", "smtp://mail:1025"}: false,
		{"USDC", "0x0123456789abcdef0123456789ABCDEF01234567"}: false,
		// users with passwords
		{"LOGIN", "kim:open-door"}: true, {"IMAGE_X", "acme:v1.2"}: false,
		{"BASE", "python:3.12-slim"}: false, {"DB", "root:Milvus9"}: true,
		{"OWNER", "root:root"}: false, {"X", "kim@example.org:Ab1"}: false,
		{"X", "kim@example.org:Ab1x"}: true, {"X", "scott/tiger@db"}: true,
		{"X", "acme/widget@v1"}: false, {"X", "kim/pw@//db:1521/XE"}: true,
		{"X", "db:5432:app:kim:pw1"}: true, {"X", "a:b:c:d:e"}: false,
		{"X", "Admin_9xPw!"}: true, {"X", "index.html#Top1"}: false,
		// options
		{"X", "-u kim:Br1dge"}: true, {"X", "--rm -u node:docker -p 8080:80"}: false,
		{"X", "-uapp -pTopf1sch"}: true, {"X", "-p no:randomly -n 4"}: false,
		{"X", "-u app -p 5432"}: false, {"X", "--user kim --password h"}: true,
		{"X", "--password-file /run/x"}: false, {"X", "machine h login u password n"}: true,
		{"X", "-D cn=svc -w L0okup7"}: true, {"X", "-U kim%w1nter"}: true,
		{"X", "-h c -a kAff33"}: true, {"X", "-a $TOKEN -u x"}: false,
		// documents
		{"X", "db:\n  password: y-1\n"}: true, {"X", "password: {{ pw }}\n"}: false,
		{"X", "Fix token: refresh it"}: false, {"X", "password = \"t\""}: true,
		{"X", "<password>x</password>"}: true, {"X", "<token/>"}: false,
		{"X", "user kim\npassword pw1\n"}: true, {"X", "http://h?u=kim&p=pw1"}: true,
		{"X", "http://h?p=1"}: false, {"X", `{:password "pw"}`}: true,
		{"X", `{"auth" : "a1b2c3d4"}`}: true, {"X", "a == token"}: false,
		// URLs
		{"X", "ldap://cn=a,dc=x:Adm1n@h"}: true, {"X", "http://a:1,b@c:2"}: false,
		{"X", "https://hooks.example.com/in/k3x9w2qq7z"}: true,
		{"X", "http://localhost/hooks/k3x9w2qq7z"}:       false, {"X", "https://ntfy.sh/builds"}: false,
		{"X", "https://ntfy.sh/k3Qz8wLm2x"}: true,
		// keys and hashes
		{"X", "[174,47,154,16,202,193,206,113,199,190,53,133,169,91,31,56]"}: true,
		{"X", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]"}:                     false,
		{"X", "[1,2]"}:               false,
		{"X", "k3x9-p2mq-77ab-zz01"}: true, {"X", "this-that-then-when"}: false,
		{"X", "2025-0101-0102-0103"}: false, {"X_HASH", "$2y$10$0123456789012345678901"}: true,
		// base64 of text
		{"X", "ZGVwbG95Ok54LTk5MTI="}: true, {"X", "eyJsb2dfbGV2ZWwiOiJkZWJ1ZyJ9"}: false,
		{"X", "Basic ZGVwbG95Ok54LTk5MTI="}: true,
	} {
		if got := Variable(kv[0], kv[1]); got != want {
			t.Errorf("%s=%q: %v, want %v", kv[0], kv[1], got, want)
		}
	}
}

// TestEvidence holds what is said of random characters, by alphabet and length, under a
// name that says nothing; and what is said of the names of this project.
func TestEvidence(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const of = 500
	for alphabet, most := range map[string][3]int{ // that pass of 500, of 16, 24 and 40
		"hex": {10, 3, 1}, "lower": {20, 8, 3}, "upper": {5, 5, 5}, "base32": {5, 2, 1},
		"alnum": {15, 5, 2}, "url64": {25, 8, 3}, "base64": {30, 12, 3}, "letters": {15, 5, 2},
	} {
		for i, n := range [...]int{16, 24, 40} {
			passed := 0
			for range of {
				if !Variable("ITEM", fill(r, fmt.Sprintf("{%s:%d}", alphabet, n))) {
					passed++
				}
			}
			if passed > most[i] {
				t.Errorf("%s of %d: %d of %d pass, at most %d", alphabet, n, passed, of, most[i])
			}
		}
	}
	for _, name := range []string{"internationalization", "org.springframework.boot.test",
		"TestUnmarshalJSONWithOptions", "x86_64-unknown-linux-gnu", "2025-06-11T09:22:13+02:00",
		"libstdc++.so.6.0.30-gdb.py", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz0123",
		"session-api-7d9c5b8f6d-x2x7k", "1.2.3-beta.4+build.567", "max_split_size_mb"} {
		if Variable("ITEM", name) {
			t.Errorf("%q is taken for random", name)
		}
	}
	for i, costs := range follows {
		if len(costs) != len(follows) {
			t.Errorf("follows[%d] has %d places", i, len(costs))
		}
	}
}
