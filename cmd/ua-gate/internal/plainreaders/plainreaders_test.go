package plainreaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// sh is a shell that finds the programs of the system, and no others.
var sh = Shell{Path: "/usr/bin:/bin", Dir: "/a/b", Home: "/home/u", Files: true}

func TestPlainReaders(t *testing.T) {
	for _, command := range []string{
		"ls", "ls -la", "ls -l src lib", "pwd", "cat a b", "cat -n 'a b'", `cat "a b"`, "cat a\\ b",
		"head -n 5 a", "grep foo a", "grep -n 'a b' src", "head -n5 a", "head -20 a", "cat ~/x",
		"tail -c +100 a", "wc -l a | sort -n", "grep -A3 -B 3 x f",
		"find . -name '*.go'", "find . -type f -maxdepth 2",
		"find . -not -path './x/*' -print", `find . \( -name a -o -name b \)`, "cd src && ls",
		"cd /tmp; pwd", "ls 2>/dev/null", "ls 2>&1 | head", "ls >/dev/null", "ls &>/dev/null",
		"echo a; echo b\necho c", "! ls a", "uniq -c a", "cut -d: -f1 a",
		"cut -d ' ' -f 1 a", "date +%s", "ps aux | awk '{print $2, $NF}'", "ps -ef", "history",
		"lsof -i :80 -n",
		"lsof -nP -iTCP -sTCP:LISTEN", "ps -eo pid,comm --sort=-%mem", "ps -p 1 -o comm=", "ulimit -n",
		"df -h /var", "ss -ltn 'sport = :80'", "docker inspect -f '{{.State.Status}}' a",
		"lsof -i -n",
		"df -h | awk 'NR==2 {print $4}'", "docker version | jq -r '.[0].State.Status'",
		"mount | column -t", "docker ps -a", "ip addr", "ip -br a", "ip route show", "ss -tlnp",
		"systemctl status a", "journalctl -u a -n 5", "sort -k2,2 -t, a", "du -sh src",
		"stat -c %s a", "ls -- -x", "echo hello, world", "ls --color=never", "cat -",
		"cat ../x", "cd .. && cat b/../c", "cat /tmp/../a", "cat ~/../x", "ls /dev",
		"docker image inspect a",
		"docker container inspect -f '{{.State.Status}}' a",
	} {
		if !sh.Reads(command) {
			t.Errorf("%s: not plain", command)
		}
	}
}

// TestNotPlain has what may run something, write or be read in another way by another shell, and
// what the list does not know.
func TestNotPlain(t *testing.T) {
	t.Setenv("exported_name", "x")
	for _, command := range []string{
		"awk '{print 1,\n2 > \"a\"}' b", "awk '{print 1 ||\n\n2 > \"a\"}' b",
		"awk '{print 1,#\n2 > \"a\"}' b", "awk '{print 1 ?\n2 :\n3 > \"a\"}' b",
		"git status", "sed -n 5p a", "tree -iIo a b", "diff -N environ /proc/self", "ps -auxe",
		"ps -eo pid,environ", "ps -o env", "ulimit -n 5", "docker inspect -f '{{.Config.Env}}' a",
		"ps -ef -ox", "ss 'dst a.b'", "ps -o ENV",
		"ps auxe",
		"ps -ef e", "cat /dev/tty", "cat /proc/1/environ", "ls //host", "lsof -i @a.b", "ss dst a.b",
		"printenv A", "docker top a auxe", "grep -e a b", "journalctl -f",
		"grep -rn a .", "ls *", "echo $x", "x=1", "cat < a", "(ls)", "test -f a", "awk 1",
		"awk '{print $1}' a", "jq '.[env.A]'", "jq '.a|env'", "jq .a a", "docker --version x",
		"awk '{print $1 > $2}'", "awk '{print | $1}'",
		"xxd a*", "uniq ./*", "find . -exec uniq {} +", "find . -exec xxd {} +",
		"find . -newer ../../dev/tty", "declare $a",
		"nm @a", "objdump -d @a", "jar tf @a", "scc @a", "jq -f a b", "exported_name=a",
		"[[ -t a ]]", "[[ -o a ]]", "cat .*", "cat ./.*", "cat a/.*", "cat ~/.config/*/*",
		"ls | head < a | xargs cat", "ls | xargs cat < a", "ls | grep -e. a | xargs cat",
		"ls | grep -r x | xargs cat", "rg -tlua . | xargs cat", "grep -el x | xargs cat",
		"ls -l | xargs cat",
		"git tag --format=/a/b | xargs cat", "git rev-parse 'x /a/b' | xargs cat",
		"find . -ls | xargs cat",
		"cat a | xargs cat", "xargs cat < a", "find . -exec cat {} + | xargs cat",
		"docker container inspect a", "docker container inspect -f '{{.Config.Env}}' a",
		"docker volume inspect a", "cat /./dev/zero", "cat /tmp/../dev/zero", "cat ../../dev/zero",
		"cd /dev && cat zero", "cd /dev; cd x; cat zero", "cd ../..; cat dev/zero", "cat ~/../../dev/x",
		"cd /proc/self && cat environ", "cd ~/../.. && head proc/1/environ", "cat '~/../../../dev/x'",
		"find . -printf a | xargs cat", "ls ~/a | xargs cat", "ls .. | xargs cat",
		"ls | sed s,^,/, | xargs cat", "ls | cut -c2- | xargs cat", "grep a b | xargs cat",
		"find ~ -exec cat {} +", "find .. -exec cat {} +", "find -L . -exec cat {} +",
		"find . ~ -exec cat {} +", "find . -follow -exec cat {} +", `find "$a" -exec cat {} +`,
		"cat $(cat a)", `cat "$(head -1 a)"`, "a=$(cat b); cat $a", `read a < b; cat "$a"`,
		"a=b; read a < c; cat $a", "a=b; a=c$(cat d); cat $a", `a=b; a=c; cat "$a"`,
		"a=b; for a in $(cat c); do ls; done; cat $a", `a=bc; cat "${a%c}"`, `cat "${a:-b}"`,
		"ls -A | xargs cat", "fd -H a | xargs cat", "rg -l a --hidden | xargs cat",
		"find . -name '.*' -exec cat {} +", "git ls-files -o | xargs cat",
		`for f in .*; do cat "$f"; done`, "find . -name '.*' | xargs cat",
		`for f in $(cat a); do cat "$f"; done`, `cat "./$(cat a)"`, `cat ~/"$a"`, `cat < "./$a"`,
		"", " ", "# only this", "ls # and this", "ls &", "ls |& cat", "x=1 ls", "PATH=. ls",
		"x=$(x)", "ls $(x)", "ls `x`", "ls <(x)", "ls >(cat)", "ls {a,b}", "((x))", "let x",
		"path=.", "x=(a)", "x+=a", "x[0]=a", "X=a", "LC_ALL=$x ls", "IFS=/ ls",
		"if x; then ls; fi", "if ls; then x; fi", "if ls; then ls; elif x; then ls; fi", "(x)",
		"{ x; }",
		"time x", "while x; do ls; done", "while ls; do x; done", "for x in a; do x; done",
		"for PATH in a; do ls; done", "for path in a; do ls; done", "for ((i=0;;)); do ls; done",
		"for f in a; do f=b; done", "for f in a; do for f in b; do ls; done; done",
		"for f in a; do read f; done", "for f in $(x); do ls; done", "for f in a $(x); do ls; done",
		"for f in *; do sort $f; done", `for f in *; do sort "$f"; done`,
		"for f in -oa; do sort $f; done",
		"for f in a/*; do sort $f; done", "for f in 'a b'; do uniq $f; done",
		"for f in *; do uniq -- $f; done", `for f in $(ls); do sort "$f"; done`,
		`for f in a/$(ls); do sort "$f"; done`, "case $(x) in a) ls;; esac",
		"case a in $(x)) ls;; esac",
		"case a in a) x;; esac", "select f in a; do ls; done", "while read PATH; do ls; done",
		`while read f; do sort "$f"; done`, "while read f; do $f; done", "read $x", "read -e x",
		"echo $((x))", "echo $((x=1))", "echo $(( a[0] ))", "echo $(($(cat a)))", "[[ a -eq 1 ]]",
		"[[ -v a ]]", "[[ -f $(x) ]]", `[ -n $x ]`, `[ "$x" -eq 1 ]`, "[ $x ]", "echo ${x@P}",
		"echo ${!x}", "echo ${x:=a}", "echo ${x?a}", "echo ${x[0]}", "echo $x[0]", `echo "$x[0]"`,
		`echo "$x:s/a/b"`, "echo $@", `echo "$*"`, "echo ${x/a/b}", "echo ${x:0:1}",
		`echo "${x:-$(x)}"`,
		"ls() { x; }", "ls > a", "ls >> a", "ls 2> a", "cat < /dev/tcp/a/1", `cat < "$x"`, "cat 3< a",
		"cat <> a", "cat <<E\n$(x)\nE", "cat <<<$(x)", "ls >| /dev/null/a", "ls > /dev/nul*",
		"ls > /dev/tcp/a/1", "ls &> a",
		"cat a >&b", "ls 3>&1", "ls 1>&3", "ls $'a'", `ls $"a"`, "echo \"`x`\"",
		"tree -*", "tree -$x", "tree *", "tree $x", `tree "$x"`, "*", "l?", "/bin/ls", "./ls", "'' ls",
		"$x a",
		"ls\\\n-la x\\\n",
		"ls --zzz", "ls -w", "sort -o a b", "sort -oa b", "sort --output=a", "sort --o=a",
		"sort -n a -o b", "sort -t -o a b -o c",
		"sort --compress-program=x a", "uniq a b", "uniq a -c", "wc --files0-from=a", "tree -o a",
		"tree -ao a",
		"find . -exec x ;", "find . -delete", "find . -name a -exec x {} +", "find . -fprint a",
		"find . -fprintf a b", `find . -exec sort -o a {} \;`, `find . -exec uniq a {} \;`,
		`find . -exec ls {}`, `find . -exec \;`, `find . -exec {} \;`, `find . -exec ls {} \; -delete`,
		`find "$x" -exec sort {} \;`, `find . -execdir ls {} \;`,
		"find . -fls a",
		"find . -ok x", "find -files0-from a", "sed -i 1p a", "sed -n 'w a' b", "sed -n 1e a",
		"sed 's/a/b/e' a", "sed 's/a/b/;w x' a", "sed 's|a|b|w x' a", "sed 's/[/]/x/;w f/' a",
		"sed 's/a[/b/;s/]/c/w f' a", "sed '1{p;w x\n}' a", "sed 'r a' b", "sed -e p -e 'w x' a",
		"sed 1p -i a", "sed -n p *", "sed -ni p a", "sed -ne 'w a' b", "sed -ep -i a",
		"sed -n '1p;1w a' b", "sed -f a b", "sed --in-place 1p a", "date -s x",
		"awk 'BEGIN{system(1)}'", "awk '{print > 1}' a", "awk '{print($1) > 1}' a", "awk '{print|1}' a",
		"awk '{getline}' a", "awk '{getline x < 1}' a", "awk '@load 1' a", "awk -f a b", "awk -i a 1 b",
		`awk '/[/"]/ {print > "f"} /[/"]/ {}' a`, `awk '{print /"/ > "f" /"/}' a`,
		`awk '{if (1) /"/; print "x" > "f" /"/}' a`, "awk 1 /inet/tcp/0/a/1", "awk 1 *",
		"awk -va=1 -fb",
		`awk '{f="system"; @f(1)}' a`, "awk 'BEGIN{ARGV[1]=1}'", "awk '{print ENVIRON[$1]}' a",
		`awk '{print $1 > "a"}' b`, `awk '{printf("a") > "b"}' c`, "awk '{f(1)}' a", "awk $x a",
		"date 0101", "date -f a", "hostname a", "hostname -F a", "command ls", "command -v",
		"command -p ls", "command -pv ls",
		"type -f", "printf %d a", "printf -v a b", "printf $x", "test -v a", "test 1 -eq a", "[ a",
		"[ -v a ]", "test a -nt b",
		"cd -", "cd",
		"cd +1", "cd a b", "cd -P a", "diff -l a b", "diff --to-file=a b", "diff a b c", "cmp a",
		"cut -d", "head -n",
		"head -n x a", "make -n", "python3 -c 1", "go version", "rg --pre=x a", "rg --pre x a",
		"rg -z a",
		"rg $x", "fd -x a", "fd -g -x a", "fd -Hx a", "yq 'load(1)' a", "yq -i .a b", "env",
		"env x=1 ls",
		"env -S ls", "env -u PATH x", "xargs", "xargs x", "xargs sort", "xargs uniq --",
		"xargs -I% sort %",
		"xargs -Icat cat a", "xargs -I% % a", "xargs -a b ls", "xargs env", "xargs sed p",
		"xargs git log",
		"sudo ls", "nice x", "time -o a ls", "timeout 5 x", "timeout -s 9 5 ls", "exec ls", "eval ls",
		"builtin ls", "less a", "man ls",
		"ls =ls", "ls ~root", "ls a#b", "ls !!", "echo !x", "ls a(b)",
		"ls\rx", "ls \u00a0a",
		"ls\x00a", "noglob ls", "repeat 3 ls", "coproc ls",
		"du --files0-from=a", "grep -f a b", "grep --f=a b", "grep -e", "basename",
		"ls &&",
		"ls;;", "ls 'a", "tree -l$x", "ls -I", "which -a -x ls", "export a", "declare a",
		"alias a=b",
		"trap x EXIT", "unset a", "set -x", "shopt -s a", "source a", ". a",
		"echo a > \"/dev/null\"b", "cat -l",
		"tail -f a", "tail --follow a", "tail --pid=1 a", "du -X a", "stat --x a",
		"ps e", "ps auxe", "ps axe", "tar xf a", "tar -xf a", "tar tf a:b", "tar -tf a:b", "tar -If a",
		"tar -tf a --to-command=x", "unzip a", "unzip -q a", "gzip a", "gunzip a", "xxd a b",
		"xxd -r a",
		"xz a", "zstd -l a --rm", "rpm -i a", "rpm -E a", "dpkg -i a", "ip link set a", "ip addr add a",
		"ip netns exec a ls", "ss -K", "sysctl a=b", "sysctl -w a", "ifconfig a down", "mount a b",
		"crontab a", "crontab -r", "journalctl --rotate", "journalctl -n --rotate", "lsof -i -D a",
		"systemctl stop a", "systemctl -H a status", "docker rm a", "docker -H a ps", "docker ps -H a",
		"openssl x509 -in a:b", "openssl x509 -in a -out b", "openssl x509 -engine a", "xmllint a:b",
		"python3 --version a", "bash --version -c a", "git status -x", "git -c a=b status", "git stash",
		"git stash pop", "git reflog expire", "git branch a", "git branch -D a", "git tag a",
		"git config edit",
		"git config a.b c", "git remote add a b", "git log --ext-diff", "git log --output=a",
		"git grep -Oa b",
		"git --git-dir=a log", "git -C $x log", "cd $x && git log", "git log `x`", "git fetch",
		"git $x",
	} {
		if sh.Reads(command) {
			t.Errorf("%s: plain", command)
		}
	}
}

// TestSystemPrograms has programs that lie before those of the system.
func TestSystemPrograms(t *testing.T) {
	own := t.TempDir()
	if err := os.WriteFile(filepath.Join(own, "ls"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command, path string
		want          bool
	}{
		{"ls", own + ":/usr/bin:/bin", false}, {"cat a", own + ":/usr/bin:/bin", true},
		{"ls", "/usr/bin:/bin:" + own, true}, {"ls", ".:/bin", false}, {"ls", ":/bin", false},
		{"ls", "", false}, {"pwd", "", true}, {"nproc | ls", own + ":/usr/bin:/bin", false},
	} {
		if got := (Shell{Path: c.path, Files: true}).Reads(c.command); got != c.want {
			t.Errorf("%s with %s: %v", c.command, c.path, got)
		}
	}
}

// TestFiles: where a sandbox can read files, a plain reader names none.
func TestFiles(t *testing.T) {
	for command, want := range map[string]bool{
		"ls": true, "ls a": false, "cat": true, "cat a": false, "ps aux | grep a": true,
		"grep a b": false,
		"find":     true, "find . -name a": false, "echo a": true,
		"docker ps --format \"{{.ID}}\\t\"": true,
		"ps aux; echo ---; df":              true,
	} {
		if got := (Shell{Path: sh.Path}).Reads(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// TestCut has what lasts in the shell of an agent, and what goes on behind it.
func TestCut(t *testing.T) {
	for command, want := range map[string]string{
		"cd a && ls": "ls", "cd a && ls | wc && x": "ls | wc && x", "cd a; ls": "ls",
		"cd 'a b'\nls":       "ls",
		"cd a && cd b && ls": "cd b && ls", "cd a": "cd a", "cd $a && ls": "cd $a && ls",
		"cd a || ls": "cd a || ls", "cd a | ls": "cd a | ls", "cd a && ls &": "cd a && ls &",
		"! cd a && ls": "! cd a && ls", "(cd a && ls)": "(cd a && ls)",
		"x=1 cd a && ls": "x=1 cd a && ls",
		"cd a >b && ls":  "cd a >b && ls", "cd a # b\nls": "cd a # b\nls", "cd a && (ls": "cd a && (ls",
		"cd -- a && ls": "cd -- a && ls", "cd a && ls\nx": "ls\nx", "ls && cd a && x": "ls && cd a && x",
		"{ cd a && ls; } && x": "{ cd a && ls; } && x",
	} {
		if cd, got := Cut(command); got != want || cd+got != command {
			t.Errorf("%q: %q and %q", command, cd, got)
		}
	}
}

// TestManual holds the list in the manual to the one that counts.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../../../man/ua-readers.7")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(strings.TrimSpace(Usage), "\n\n") {
		if !strings.Contains(string(page), "\n.Bd -literal\n"+part+"\n.Ed\n") {
			t.Error("ua-readers(7) does not have the list of Usage, line by line")
		}
	}
}

// FuzzReads looks for a plain command that defines a function, writes to a file or names a program
// that is not in Usage.
func FuzzReads(f *testing.F) {
	f.Add("ls -la 'a b' | wc -l")
	f.Add(`cd x && grep -rn "a\"b" src/*.c 2>/dev/null`)
	f.Add(`for f in *.c; do head -1 "$f" | cut -c2- $(ls "$f") & done`)
	f.Fuzz(func(t *testing.T, command string) {
		if !sh.Reads(command) {
			return
		}
		parsed, err := syntax.NewParser().Parse(strings.NewReader(command), "")
		if err != nil {
			t.Fatal(err)
		}
		syntax.Walk(parsed, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FuncDecl, *syntax.CoprocClause, *syntax.LetClause, *syntax.DeclClause:
				t.Errorf("%q: plain with %T", command, n)
			case *syntax.Redirect:
				if n.Op == syntax.RdrOut && n.Word.Lit() != "/dev/null" && n.Word.Lit() != "" {
					t.Errorf("%q: plain with > %s", command, n.Word.Lit())
				}
			case *syntax.CallExpr:
				if len(n.Args) > 0 && n.Args[0].Lit() != "" && n.Args[0].Lit() != "[" &&
					!strings.Contains(n.Args[0].Lit(), "\\") && usages(Usage, n.Args[0].Lit()) == nil {
					t.Errorf("%q: plain with %s", command, n.Args[0].Lit())
				}
			}
			return true
		})
	})
}
