package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// gitSetup makes a repository with two branches.
const gitSetup = `git init -q -b main . && git config user.email a@example.org &&
git config user.name A && git config gc.auto 0
mkdir -p src/deep && seq 200 >src/a && seq 300 >src/deep/b && git add . && git commit -qm one
git checkout -qb side && echo side >side && git add . && git commit -qm side
git checkout -q main && echo two >>src/a && git commit -qam two`

const gitCheck = `git fsck --strict 2>&1
git status --porcelain
git log --all --format='%s' | sort
git ls-files -s
git worktree list | wc -l`

// debianSetup makes the source of a Debian package.
const debianSetup = `mkdir -p p-1/debian && cd p-1 && seq 20 >data
cat >debian/control <<'END'
Source: p
Maintainer: A <a@example.org>
Standards-Version: 4.6.0
Rules-Requires-Root: no

Package: p
Architecture: all
Description: p
END
cat >debian/changelog <<'END'
p (1) unstable; urgency=low

  * One.

 -- A <a@example.org>  Thu, 01 Jan 2026 00:00:00 +0000
END
cat >debian/rules <<'END'
#!/usr/bin/make -f
clean:
	rm -rf debian/p out
build build-arch build-indep: out
out: data
	sort data >out
binary-arch:
binary binary-indep: build
	mkdir -p debian/p/DEBIAN debian/p/usr/share/p
	install -m 644 out debian/p/usr/share/p/out
	ln -s out debian/p/usr/share/p/link
	dpkg-gencontrol -Pdebian/p
	dpkg-deb --root-owner-group --build debian/p ..
END
chmod +x debian/rules`

// realPrograms are programs that people run: the check prints the same whether
// they ran plainly or in a try that was applied.
func realPrograms() []struct{ name, needs, setup, program, check string } {
	return []struct{ name, needs, setup, program, check string }{
		{"git commit", "git", gitSetup,
			`git mv src lib && git commit -qm moved &&
			git rm -q lib/a && git commit -qm gone && git tag -a v1 -m v1`, gitCheck},
		{"git rebase", "git", gitSetup, `git rebase -q main side`, gitCheck},
		{"git merge", "git", gitSetup, `git merge -q -m merged side`, gitCheck},
		{"git gc", "git", gitSetup,
			`git gc -q --prune=now && git reflog expire --expire=now --all && git repack -adq`, gitCheck},
		{"git worktree", "git", gitSetup,
			`git worktree add -q wt side && cd wt && echo more >>side && git commit -qam more`,
			gitCheck + "; git -C wt log --format=%s"},
		{"git checkout", "git", gitSetup,
			`git checkout -q side && git checkout -q main && git checkout -q side && git stash list`,
			gitCheck},
		{"git clean", "git", gitSetup + "; mkdir junk && echo x >junk/x",
			`git clean -fdq && git reset -q --hard side`, gitCheck},
		{"rm -rf .git", "git", gitSetup, `rm -rf .git`, `ls -A`},
		{"sed -i", "sed", `seq 1000 >a && cp a b && chmod 640 b`, `sed -i s/1/one/ a b`,
			`cat a b; stat -c '%a %n' a b`},
		{"tar x", "tar", `mkdir t && seq 9 >t/a && ln t/a t/b && ln -s a t/c && mkfifo t/d &&
			mkdir -m 700 t/e && tar cf t.tar t && rm -r t`, `tar xpf t.tar && tar xpf t.tar`,
			`find t -printf '%p %y %m %l\n' | sort; cat t/a; test t/a -ef t/b && echo linked`},
		{"rsync --delete", "rsync", `mkdir -p a/x b/y && seq 5 >a/x/1 && seq 6 >b/y/2 && seq 7 >b/3`,
			`rsync -a --delete a/ b/`, `find . | sort; cat b/x/1`},
		{"cp -a and mv", "cp", `mkdir -p d/e && seq 5 >d/e/f`,
			`cp -a d d2 && mv d d3 && mv d3/e e && rmdir d3`, `find . -printf '%p %m %s\n' | sort`},
		{"sqlite with WAL", "sqlite3",
			`sqlite3 db 'pragma journal_mode=wal; create table t(x); insert into t values(1)'`,
			`for i in 1 2 3; do sqlite3 db "insert into t values($i)"; done
			sqlite3 db 'delete from t where x=2'`,
			`sqlite3 db 'pragma integrity_check; select * from t'`},
		{"go build", "go", `printf 'module m\n' >go.mod
			printf 'package main\nfunc main() { println(1) }\n' >m.go`,
			`sed -i 's/(1)/(2)/' m.go && export GOCACHE=` + goCache() +
				` GOTOOLCHAIN=local && go build -o prog .`, `cat m.go; ./prog 2>&1; ls`},
		{"go test", "go", `printf 'module m\n' >go.mod; printf 'package m\n' >m.go
			printf 'package m\nimport ("os"; "testing")\nfunc TestIt(t *testing.T) { ' >m_test.go
			echo 'if os.WriteFile("made", nil, 0o600) != nil { t.Fatal() } }' >>m_test.go`,
			`export GOCACHE=` + goCache() + ` GOTOOLCHAIN=local && go test . && go test -c -o m.test .`,
			`ls; ./m.test`},
		{"a Debian package", "dpkg-buildpackage", debianSetup,
			`cd p-1 && dpkg-buildpackage -b -us -uc -d >/dev/null 2>&1`,
			`find . -type f | sort; dpkg-deb -c p_1_all.deb; dpkg-deb -f p_1_all.deb Package Version`},
		{"make", "make", `printf 'all: a.out\n\na.out: in\n\tcp in a.out\n' >Makefile; echo 1 >in`,
			`make -s && touch -d '2001-01-01' in && make -s && echo 2 >in && make -s`,
			`cat a.out; make -q && echo current`},
		{"vim", "vim", `seq 20 >a`, `vim -u NONE -es -c 'set backup swapfile' -c '3d' -c 'wq' a`,
			`cat a; ls -A`},
		{"ten writers", "seq", `mkdir d`,
			`for w in 0 1 2 3 4 5 6 7 8 9; do (
				for i in $(seq 50); do
					echo "$w $i" >>all; echo $i >d/$w.$i; mv d/$w.$i d/$w-$i
				done
			) & done
			wait`, `sort all; ls d`},
		{"a fifo", "mkfifo", `echo x >a`, `mkfifo p && (cat a >p &) && cat p >b && rm p`, `cat b; ls`},
		{"npm ci", "npm", `mkdir -p dep && echo '{"name":"dep","version":"1.0.0"}' >dep/package.json &&
			echo '{"name":"m","version":"1.0.0","dependencies":{"dep":"file:dep"}}' >package.json &&
			npm install --offline --no-audit --no-fund --silent`,
			`rm -rf node_modules && npm ci --offline --no-audit --no-fund --silent`,
			`ls -l node_modules | wc -l
			test node_modules/dep/package.json -ef dep/package.json && echo linked`},
	}
}

// goCache is where Go keeps what it has compiled: no test waits for all of that.
func goCache() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
}

// Real programs do the same in a try, bare and in a sandbox, and an undo brings
// back what was there. Each is one user's bare and another's in a sandbox, and
// with UA_TEST_ALL=1 both users' in both.
func TestRealPrograms(t *testing.T) {
	for _, uid := range users() {
		for w, wrap := range [][]string{nil, {"ua-sandbox", "--quiet", "--"}} {
			for i, c := range realPrograms() {
				own := c.name == "npm ci" || strings.HasPrefix(c.name, "go ")
				if !own && len(users()) > 1 && os.Getenv("UA_TEST_ALL") == "" &&
					((i+w)%2 == 0) != (uid == 0) {
					continue
				}
				t.Run(fmt.Sprintf("%s %d %v", c.name, uid, wrap != nil), func(t *testing.T) {
					// No other test needs these.
					extra := []string{"rsync", "vim", "npm", "dpkg-buildpackage"}
					if slices.Contains(extra, c.needs) {
						if _, err := exec.LookPath(c.needs); err != nil {
							scripttest.Skip(t, scripttest.Elsewhere, "%s is not installed", c.needs)
						}
					}
					scripttest.Need(t, c.needs)
					if c.name == "rm -rf .git" && wrap != nil {
						scripttest.Skip(t, scripttest.Elsewhere, "ua-sandbox protects it")
					}
					b := newBench(t, uid)
					if own && (uid != os.Geteuid() || wrap != nil) {
						scripttest.Skip(t, scripttest.Elsewhere, "its programs or its cache are another user's")
					}
					b.compare(c.setup, c.program, c.check, wrap)
				})
			}
		}
	}
}

func (b *bench) compare(setup, program, check string, wrap []string) {
	b.t.Helper()
	work := filepath.Join(b.dir, "work", "w")
	sh := func(script string) string { return b.must(work, "/bin/sh", "-c", script) }
	b.must(b.dir, "mkdir", work)
	sh(setup)
	first := snapshot(work, true)
	b.must(work, append(append([]string{"ua-try", "--quiet", "--"}, wrap...), "/bin/sh", "-ec",
		program)...)
	if now := snapshot(work, true); now != first {
		b.t.Fatalf("the folder has changed before the apply:\n%s", difference(first, now))
	}
	b.must(work, "ua-try", "apply")
	// git status writes its index anew, which is a change since: look at a copy.
	copied := filepath.Join(b.dir, "work", "c")
	look := func(dir string) string {
		b.must(b.dir, "/bin/cp", "-a", dir, copied)
		defer os.RemoveAll(copied)
		out, _ := b.run(copied, nil, "/bin/sh", "-c", check)
		return out
	}
	got := look(work)
	b.must(work, "ua-try", "undo")
	if now := snapshot(work, true); now != first {
		b.t.Fatalf("taken back:\n%s", difference(first, now))
	}
	sh(program)
	if want := look(work); got != want {
		b.t.Errorf("applied:\n%s", difference(want, got))
	}
}
