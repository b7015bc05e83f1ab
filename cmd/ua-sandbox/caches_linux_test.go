package main

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ua/internal/common/scripttest"
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
				shell(t, dir, fmt.Sprintf(`mkdir -p work home/go/pkg/mod/a home/.cargo/registry home/.cargo/bin; echo mine >home/go/pkg/mod/a/f
echo mine >home/.cargo/registry/f; echo MARKER >home/.cargo/credentials.toml; echo set >home/.cargo/config.toml; touch work/go.mod work/Cargo.toml; chown -R %[1]d:%[1]d .`, uid))
				script := `cat $GOMODCACHE/a/f $CARGO_HOME/registry/f $CARGO_HOME/config.toml && ls $CARGO_HOME/bin
echo new >$GOMODCACHE/a/f && rm $CARGO_HOME/registry/f && echo x >$CARGO_HOME/y && cat $GOMODCACHE/a/f; cat $CARGO_HOME/credentials.toml $CARGO_HOME/registry/f 2>/dev/null; echo done`
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

// Go fetches a module into a cache that the user's own shows through.
func TestGoDownloads(t *testing.T) {
	scripttest.Need(t, "go")
	scripttest.NeedTier(t, "3")
	dir := t.TempDir()
	shell(t, dir, `mkdir -p home/go/pkg/mod work/x proxy/example.test/m/@v; cd proxy/example.test/m/@v
echo '{"Version":"v1.0.0"}' >v1.0.0.info; echo 'module example.test/m' >v1.0.0.mod; echo v1.0.0 >list
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
	cmd := sandbox(t, "--quiet", "--read", dir+"/proxy", "--", "sh", "-c",
		"cd x && go get example.test/m@v1.0.0 && ls $GOMODCACHE/example.test")
	cmd.Dir = filepath.Join(dir, "work")
	cmd.Env = []string{"HOME=" + dir + "/home", "PATH=" + os.Getenv("PATH"),
		"GOPROXY=file://" + dir + "/proxy", "GOSUMDB=off", "GOFLAGS=-mod=mod"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
}
