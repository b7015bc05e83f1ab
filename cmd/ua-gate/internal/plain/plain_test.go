package plain

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ua/internal/common/event"
)

// path is where the system's programs are in these tests.
const path = "/usr/bin:/bin"

func TestPlainReaders(t *testing.T) {
	for _, command := range []string{
		"ls", "ls -la", "ls -l src lib", "pwd", "cat a b", "cat -n 'a b'", `cat "a b"`, "cat a\\ b",
		"head -n 5 a", "grep foo a", "grep -rn 'a b' src", "head -n5 a",
		"head -20 a", "tail -c +100 a", "tail -n +3 a", "wc -l a | sort -n",
		"grep -rn --include=*.go foo .", "grep -e a -e b f", "grep -A3 -B 3 x f", "sed -n '1,20p' a",
		"sed -n '$p' a", "sed -n 5p a", "sed -n '/a/,/b/p' f", "find . -name '*.go'",
		"find . -type f -maxdepth 2",
		"find . -not -path './x/*' -print", `find . \( -name a -o -name b \)`,
		"find src ! -name a", "ls src/*.go",
		"cd src && ls", "cd /tmp; pwd", "test -f a && cat a", "[ -d a ] || echo none",
		"ls 2>/dev/null",
		"ls 2>&1 | head", "ls >/dev/null", "cat ~/x", "command -v go", "which go",
		"echo a; echo b\necho c",
		"! test -e a", "diff -u a b", "uniq -c a", "cut -d: -f1 a", "cut -d ' ' -f 1 a", "date +%s",
		"sort -k2,2 -t, a", "tr a b", "du -sh src", "stat -c %s a", "seq 1 -1 -5", "ls -- -x",
		`echo "a \"b\" \$c"`, "echo hello, world", "ls --color=never", "cat -",
	} {
		if !Reads(command, path) {
			t.Errorf("%s: not plain", command)
		}
	}
}

// TestNotPlain has what may run something, write or be read in another way by another shell, and
// what the list does not know.
func TestNotPlain(t *testing.T) {
	for _, command := range []string{
		"", " ", "# only this", "ls # and this", "ls &", "ls |& cat", "x=1", "x=1 ls", "x=$(ls)",
		"ls $x",
		"ls $(x)", "ls `x`", "ls <(x)", "ls {a,b}", "echo $((x))", "((x))", "[[ a ]]", "let x",
		"ls; (ls)",
		"{ ls; }", "if ls; then ls; fi", "for x in a; do ls; done", "ls() { x; }", "ls > a",
		"ls >> a", "ls 2> a",
		"cat < a", "cat <<E\na\nE", "cat <<<a", "ls >| /dev/null/a", "ls > /dev/nul*",
		"ls > /dev/tcp/a/1",
		"cat a >&b", "ls 3>&1", "ls 1>&3", "ls $'a'", `ls $"a"`, `echo "$x"`, "echo \"`x`\"",
		"echo *", "ls *",
		"ls -*", "ls ?x", "ls [a]x", "ls '-'*", "ls +*", "*", "l?", "/bin/ls", "./ls", "'' ls",
		"ls\\\n-la x\\\n",
		"ls --zzz", "ls -w", "sort -o a b", "sort -oa b", "sort --output=a", "sort --o=a",
		"sort -n a -o b",
		"sort --compress-program=x a", "uniq a b", "uniq a -c", "wc --files0-from=a", "tree -o a",
		"tree -ao a",
		"find . -exec x ;", "find . -delete", "find . -name a -exec x {} +", "find . -fprint a",
		"find . -fls a",
		"find . -ok x", "find -files0-from a", "sed -i 1p a", "sed -n 'w a' b", "sed -n 1e a",
		"sed 's/a/b/e' a",
		"sed -n '1p;1w a' b", "sed -n -e 1p a", "sed -f a b", "sed --in-place 1p a", "date -s x",
		"date 0101",
		"date -f a", "hostname a", "hostname -F a", "command ls", "command -v", "command -p ls",
		"command -pv ls",
		"type -f", "printf %d a", "test -v a", "test 1 -eq a", "[ a", "[ -v a ]", "test a -nt b",
		"cd -", "cd",
		"cd +1", "cd a b", "cd -P a", "diff -l a b", "diff --to-file=a b", "diff a b c", "cmp a",
		"cut -d", "head -n",
		"head -n x a", "git status", "make -n", "python3 -c 1", "go version", "rg x", "jq . a",
		"awk 1 a", "env",
		"xargs ls", "sudo ls", "nice ls", "time ls", "exec ls", "eval ls", "builtin ls", "less a",
		"man ls",
		"ls =ls", "ls ~root", "ls a~", "echo a^b", "ls a#b", "ls !!", "echo !x", "ls a(b)",
		"ls\rx", "ls \u00a0a",
		"ls\x00a", "noglob ls", "repeat 3 ls", "coproc ls", "select x in a; do ls; done",
		"ls &>/dev/null",
		"md5sum -c a", "du --files0-from=a", "grep -f a b", "grep --f=a b", "grep -e", "basename",
		"ls &&",
		"ls;;", "ls 'a", "ls -l$x", "ls -I", "which -a -x ls", "read x", "export a", "declare a",
		"alias a=b",
		"trap x EXIT", "unset a", "set -x", "shopt -s a", "source a", ". a",
		"echo a > \"/dev/null\"b", "cat -l",
		"tail -f a", "tail --follow a", "tail --pid=1 a", "du -X a", "stat --x a",
	} {
		if Reads(command, path) {
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
		if got := Reads(c.command, c.path); got != c.want {
			t.Errorf("%s with %s: %v", c.command, c.path, got)
		}
	}
}

// TestManual holds the list in the manual to the one that counts.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../../../man/ua-gate.1")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\(aq`, "'").Replace(string(page))
	if !strings.Contains(text, strings.TrimSpace(Usage)) {
		t.Error("ua-gate(1) does not have the list of Usage, line by line")
	}
}

// FuzzReads looks for a plain command with a character that has a meaning to a shell, outside of
// quotes and behind no backslash.
func FuzzReads(f *testing.F) {
	f.Add("ls -la 'a b' | wc -l")
	f.Add(`cd x && grep -rn "a\"b" src/*.c 2>/dev/null`)
	quotes := regexp.MustCompile(`'[^']*'|"(\\.|[^"\\])*"|\\[!-~]`)
	f.Fuzz(func(t *testing.T, command string) {
		if !Reads(command, path) {
			return
		}
		rest := quotes.ReplaceAllString(command, "")
		rest = regexp.MustCompile(`[12]?>> *|[12]?> *|>&[12]`).ReplaceAllString(rest, "")
		rest = strings.NewReplacer("&&", "").Replace(rest)
		if i := strings.IndexAny(rest, "$`(){}<>&\r\x00"); i >= 0 {
			t.Errorf("%s: plain with %q", event.AppendString(nil, command), rest[i])
		}
	})
}
