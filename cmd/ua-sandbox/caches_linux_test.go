package main

import (
	"archive/zip"
	"crypto/rand"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb"
	"golang.org/x/mod/sumdb/dirhash"
	signed "golang.org/x/mod/sumdb/note"

	"ua/internal/test/scripttest"
)

// The user's cache is read through, and what is written stays in the sandbox.
func TestReadThrough(t *testing.T) {
	uids := []int{os.Getuid()}
	if os.Getuid() == 0 {
		uids = append(uids, 1000)
	}
	for _, uid := range uids {
		for _, tier := range tiers(t) {
			if tier == "2" {
				continue // it has no mounts
			}
			t.Run(fmt.Sprintf("uid%d/tier%s", uid, tier), func(t *testing.T) {
				dir, err := os.MkdirTemp("", "ua-caches")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(dir)
				shell(t, dir, fmt.Sprintf(`mkdir -p work home/go/pkg/mod/a home/.cargo/registry home/.cargo/bin
echo mine >home/go/pkg/mod/a/f; echo mine >home/.cargo/registry/f
echo MARKER >home/.cargo/credentials.toml; echo set >home/.cargo/config.toml
touch work/go.mod work/Cargo.toml; chown -R %[1]d:%[1]d .`, uid))
				script := `cat $GOMODCACHE/a/f $CARGO_HOME/registry/f $CARGO_HOME/config.toml &&
	ls $CARGO_HOME/bin
echo new >$GOMODCACHE/a/f && rm $CARGO_HOME/registry/f && echo x >$CARGO_HOME/y &&
	cat $GOMODCACHE/a/f
cat $CARGO_HOME/credentials.toml $CARGO_HOME/registry/f 2>/dev/null; echo done`
				for _, c := range []struct{ option, want string }{{"--quiet", "mine\nmine\nset\nnew\ndone\n"},
					{"--deny=" + dir + "/home/go", "done\n"}} {
					cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-sandbox"), c.option, "--tier", tier,
						"--", "sh", "-c", script)
					cmd.Dir, cmd.Env = dir+"/work", []string{"HOME=" + dir + "/home", "PATH=" + os.Getenv("PATH")}
					if os.Getuid() == 0 {
						cmd.SysProcAttr = asUser(uid)
					}
					out, _ := cmd.Output()
					if c.want == "done\n" && len(out) > len(c.want) {
						out = out[len(out)-len(c.want):] // a denied cache is empty
					}
					if string(out) != c.want {
						t.Errorf("%s: %q", c.option, out)
					}
				}
				if got := shell(t, dir, "cat home/go/pkg/mod/a/f home/.cargo/registry/f; ls home/.cargo/y "+
					"2>/dev/null || true"); got != "mine\nmine\n" {
					t.Errorf("outside: %q", got)
				}
			})
		}
	}
}

// sumDatabase writes a checksum database that knows one module into dir, as files for a
// file:// URL, and returns its value for GOSUMDB.
func sumDatabase(t *testing.T, dir, module, gosum string) string {
	t.Helper()
	secret, public, err := signed.GenerateKey(rand.Reader, "sum.example.test")
	if err != nil {
		t.Fatal(err)
	}
	server := sumdb.NewServer(sumdb.NewTestServer(secret,
		func(path, version string) ([]byte, error) { return []byte(gosum), nil }))
	for _, path := range []string{"/lookup/" + module, "/latest", "/tile/8/0/000.p/1"} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if err := os.MkdirAll(filepath.Dir(dir+path), 0o755); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %v", path, w.Code, err)
		}
		if err := os.WriteFile(dir+path, w.Body.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return public + " file://" + dir
}

// Go fetches a module into a cache that the user's own shows through, and checks its sum
// with the database, of which it writes what it has learnt.
func TestGoDownloads(t *testing.T) {
	scripttest.Need(t, "go")
	scripttest.NeedTier(t, "3")
	dir := t.TempDir()
	shell(t, dir, `mkdir -p home/go/pkg/mod work/x proxy/example.test/m/@v; cd proxy/example.test/m/@v
echo '{"Version":"v1.0.0"}' >v1.0.0.info
echo 'module example.test/m' >v1.0.0.mod; echo v1.0.0 >list
cd ../../../../work/x && go mod init example.test/x`)
	f, err := os.Create(filepath.Join(dir, "proxy/example.test/m/@v/v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{"go.mod": "module example.test/m\n",
		"m.go": "package m\n"} {
		w, err := z.Create("example.test/m@v1.0.0/" + name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	zipped, err := dirhash.HashZip(f.Name(), dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, "proxy/example.test/m/@v/v1.0.0.mod"))
	})
	if err != nil {
		t.Fatal(err)
	}
	sums := sumDatabase(t, dir+"/proxy/sums", "example.test/m@v1.0.0",
		"example.test/m v1.0.0 "+zipped+"\nexample.test/m v1.0.0/go.mod "+mod+"\n")
	fetch := func(home string) {
		t.Helper()
		cmd := sandbox(t, "--quiet", "--env=GOSUMDB", "--read", dir+"/proxy", "--", "sh", "-c",
			"cd x && rm -f go.sum && go get example.test/m@v1.0.0 && ls $GOMODCACHE/example.test && "+
				"cat $(go env GOPATH)/pkg/sumdb/*/latest && $(go env GOPATH)/bin/tool")
		cmd.Dir = filepath.Join(dir, "work")
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"),
			"GOPROXY=file://" + dir + "/proxy", "GOSUMDB=" + sums, "GOFLAGS=-mod=mod"}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "sum.example.test") ||
			!strings.Contains(string(out), "a tool of the user's\n") {
			t.Errorf("%v %s", err, out)
		}
	}
	shell(t, dir, `mkdir home/go/bin
printf '#!/bin/sh\necho "a tool of the user'"'"'s"\n' >home/go/bin/tool
chmod +x home/go/bin/tool`)
	fetch(dir + "/home")
	if got := shell(t, dir, "ls home/go/pkg"); got != "mod\n" {
		t.Errorf("left in the user's GOPATH: %q", got)
	}

	// What the user's own go has learnt is what it goes on from.
	shell(t, dir, "mkdir -p home/go/pkg/sumdb/sum.example.test; "+
		"cp proxy/sums/latest home/go/pkg/sumdb/sum.example.test")
	fetch(dir + "/home")
}

// TestToolCaches: a tool whose folder in the home can't be written gets one that can, with what
// the user's holds where a project of it is; and the user's own stays as it was.
func TestToolCaches(t *testing.T) {
	for _, uid := range users(t) {
		for _, tier := range tiers(t) {
			home := homeOf(t, uid, `mkdir -p work ../work
for d in .gradle/caches .m2/repository .opam .npm .cache/pip .cache/uv; do
	mkdir -p $d; echo mine >$d/f
done
touch ../work/pom.xml ../work/build.gradle.kts ../work/package.json ../work/requirements.txt`)
			out, err := inHome(t, uid, home, filepath.Dir(home)+"/work", "--quiet", "--tier", tier, "--",
				"sh", "-ec", `m=${MAVEN_OPTS##*=}; echo new >$(mkdir -p $m; echo $m)/new
mkdir -p $PNPM_HOME/store $HEX_HOME; echo x >$HEX_HOME/x; echo ${OPAMROOT-none}
[ $UA_SANDBOX = 2 ] || cat $m/f $GRADLE_USER_HOME/caches/f $npm_config_cache/f $PIP_CACHE_DIR/f \
	$UV_CACHE_DIR/f; echo y >$m/f`).CombinedOutput()
			want := "none\n" + strings.Repeat("mine\n", 5)
			if tier == "2" { // no mounts
				want = "none\n"
			}
			if err != nil || string(out) != want {
				t.Errorf("uid %d, tier %s: %v: %q", uid, tier, err, out)
			}
			if got := shell(t, home, "cat .m2/repository/f; ls -A . .m2/repository | grep -E "+
				"'new|hex|pnpm' || true"); got != "mine\n" {
				t.Errorf("uid %d, tier %s: outside: %q", uid, tier, got)
			}
		}
	}
}
