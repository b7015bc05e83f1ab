package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// soakBase is the repository of the soak test. No two commits are alike there.
const soakBase = `git init -q main; cd main; printf '/w*\n' >.git/info/exclude
for i in 1 2 3; do echo $i >f$i; git add .
git commit -q -m $i; git branch b$i; git tag t$i; done; git pack-refs --all
git init -q ../lib; git -C ../lib commit -q --allow-empty -m lib; git remote add origin ../lib`

// soakVerbs change a repository of any state, or fail.
const soakVerbs = `echo $RANDOM >f1; git add -A; git commit -q -m c
git commit -q --allow-empty -m e; git commit -q --amend --allow-empty -m a
git branch n$RANDOM
git branch -D $(pick refs/heads)
git branch -m $(pick refs/heads) m$RANDOM
git checkout -q -f $(pick refs/heads)
git checkout -q -f -b x/$RANDOM $(pick refs/tags)
git tag -f t$((RANDOM % 5)) HEAD
git tag -d $(pick refs/tags)
git update-ref refs/heads/u$((RANDOM % 3)) HEAD~1
git pack-refs --all
git gc -q
git gc -q --prune=now
git repack -adq
git reflog expire --expire=now --all; git prune
echo $RANDOM >f2; git stash -q; git stash pop -q
echo $RANDOM >f3; git stash -q
git stash drop -q
git reset -q --hard HEAD~1
git merge -q --no-edit $(pick refs/heads) || git merge --abort
git rebase -q --force-rebase HEAD~2 || git rebase --abort
git cherry-pick $(pick refs/heads) || git cherry-pick --abort
git fetch -q origin
git config user.name n$RANDOM
git worktree add -q $PWD/w$RANDOM
git worktree remove --force $(git worktree list | tail -n 1 | cut -d' ' -f1)
git worktree prune
git commit-graph write --reachable
git notes add -f -m n$RANDOM
git add -A; git reset -q
git fast-export --all --signed-tags=strip >../x; git fast-import --quiet --force <../x`

// soakPick prints the name of some ref.
const soakPick = `pick() { git for-each-ref --format='%(refname)' "$1" | shuf -n 1 |
sed 's,refs/[a-z]*/,,'; }
`

// soakDriver runs verbs in the sandbox. It says which refs there are when it asks for a landing,
// and when that is answered.
const soakDriver = soakPick + `refs() { git for-each-ref --format="$1 %(refname) %(objectname)"; }
ask() { printf "$1" >&$UA_LAND_FD
while read -r line <&$UA_LAND_FD; do [ -n "$line" ] || return 0; echo "refused $line"; done
exit; }
while read -r verb; do ask r; eval "$verb" </dev/null >/dev/null 2>&1
state=$(refs state); echo asks; echo "$state"; echo told; ask l; echo landed; done`

// TestGitSoak: verbs of git inside the sandbox and outside in turn, with ua-sandbox killed at any
// moment, leave a repository that is in order and has all refs that had landed. UA_TEST_SOAK is
// for how many seconds, UA_TEST_SEED repeats a run.
func TestGitSoak(t *testing.T) {
	scripttest.Need(t, "git", "bash", "shuf")
	scripttest.NeedTier(t, "3")
	uids := []int{1000}
	if os.Getuid() != 0 {
		uids[0] = os.Getuid()
	} else if long, _ := strconv.Atoi(os.Getenv("UA_TEST_SOAK")); long > 0 {
		uids = append(uids, 0)
	}
	for _, uid := range uids {
		s := newSoak(t, uid)
		long, _ := strconv.Atoi(os.Getenv("UA_TEST_SOAK"))
		for n, began := 0, time.Now(); n < 6 || time.Since(began).Seconds() < float64(long); n++ {
			if s.round(); t.Failed() {
				t.Fatalf("uid %d, round %d, seed %d", uid, n, s.seed)
			}
		}
		t.Logf("uid %d: %d verbs, %d landings, %d killed", uid, s.verbs, s.landed, s.killed)
	}
}

// A soak is a repository in which git works at random.
type soak struct {
	*gitPlace
	seed                  uint64
	rand                  *rand.Rand
	list                  []string
	verbs, landed, killed int
}

func newSoak(t *testing.T, uid int) *soak {
	s := &soak{gitPlace: newGitPlace(t, uid), seed: uint64(time.Now().UnixNano())}
	if text := os.Getenv("UA_TEST_SEED"); text != "" {
		s.seed, _ = strconv.ParseUint(text, 10, 64)
	}
	s.rand = rand.New(rand.NewPCG(s.seed, 0))
	s.list = strings.Split(soakVerbs, "\n")
	s.run("/", exec.Command("rm", "-rf", s.dir))
	s.run("/", exec.Command("mkdir", s.dir))
	s.run(s.dir, exec.Command("sh", "-ec", soakBase))
	return s
}

// some returns verbs, one a line.
func (s *soak) some(n int) string {
	var list []string
	for range n {
		list = append(list, s.list[s.rand.IntN(len(s.list))])
	}
	s.verbs += n
	return strings.Join(list, "\n") + "\n"
}

// round has verbs run in the sandbox, which is killed in half of the rounds, and then others
// outside.
func (s *soak) round() {
	main := s.dir + "/main"
	refs := func() string {
		return s.run(main, exec.Command("git", "for-each-ref",
			"--format=state %(refname) %(objectname)"))
	}
	verbs, before := s.some(8), refs()
	cmd := sandbox(s.t, "--quiet", "--land", "--read", s.dir+"/lib", "--env", "GIT_CONFIG_COUNT",
		"--", "bash", "-c", soakDriver)
	cmd.Stdin = strings.NewReader(verbs)
	if s.rand.IntN(2) == 0 {
		s.killed++
		timer := time.AfterFunc(time.Duration(50+s.rand.IntN(900))*time.Millisecond, func() {
			if cmd.Process != nil {
				cmd.Process.Kill()
			}
		})
		defer timer.Stop()
	}
	said := s.run(main, cmd)
	s.check(before, said, refs())
	out := s.run(main, exec.Command("sh", "-c", "find .git -name '*.lock' -delete; "+
		"git -c core.commitGraph=false fsck --full --no-dangling 2>&1; git status >/dev/null"))
	if out != "<nil>" {
		s.t.Errorf("fsck: %s", out)
	}
	if s.t.Failed() {
		s.t.Errorf("%s\n%s", verbs, said)
	}
	s.run(main, exec.Command("bash", "-c", soakPick+s.some(2)))
	s.run(main, exec.Command("sh", "-c", "git merge --abort; git rebase --abort; "+
		"git cherry-pick --abort; git checkout -q -f main || git checkout -q -f --orphan main; "+
		"git commit -q --allow-empty -m o"))
}

// check compares the refs that are there with what has landed, beginning with those of before:
// each is as in the last state that has, or as in the one that was landing.
func (s *soak) check(before, said, after string) {
	now, next, last := refsOf(before), map[string]string(nil), map[string]string(nil)
	for line := range strings.Lines(said) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "asks":
			last = map[string]string{}
		case words[0] == "state" && len(words) == 3 && last != nil:
			last[words[1]] = words[2]
		case words[0] == "told":
			next = last
		case words[0] == "landed":
			now, next = last, nil
			s.landed++
		case words[0] == "refused":
			s.t.Error(line)
		}
	}
	is := refsOf(after)
	for _, state := range []map[string]string{now, next, is} {
		for name := range state {
			if is[name] != now[name] && (next == nil || is[name] != next[name]) {
				s.t.Errorf("%s is %q; had landed: %q; was landing: %q", name, is[name], now[name], next[name])
			}
		}
	}
}

// refsOf reads a list of refs.
func refsOf(text string) map[string]string {
	refs := map[string]string{}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "state" {
			refs[words[1]] = words[2]
		}
	}
	return refs
}

// swaps exchanges folders of a repository, and the one that it is in, with links to another
// folder, without end, while changes land.
const swaps = `cd sub; git config user.name in
swap() { while :; do mv "$1" "$1-" && ln -s "$VICTIM" "$1"; rm -f "$1"; mv "$1-" "$1"; done; }
for part in .git/refs .git/refs/heads .git/objects .git/logs .git/modules ../sub; do
swap "$PWD/$part" & done 2>/dev/null
for i in $(seq 60); do cd "$HERE/sub" 2>/dev/null && { git commit -q --allow-empty -m x
mkdir -p .git/modules/a/b; git update-ref refs/heads/n/$i HEAD; echo x >.git/refs/heads/x; }
printf l >&$UA_LAND_FD; while read -r line <&$UA_LAND_FD && [ -n "$line" ]; do :; done; done
2>/dev/null; kill $(jobs -p); true`

// TestGitSwaps: whatever a command puts in the place of folders, nothing lands outside of the
// git folder, and the repository stays in order.
func TestGitSwaps(t *testing.T) {
	scripttest.Need(t, "git", "bash")
	scripttest.NeedTier(t, "3")
	gitEnv(t)
	for _, uid := range users(t) {
		dir, err := os.MkdirTemp("/var/tmp", "ua-swaps")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		shell(t, dir, "mkdir work victim home; cd work; git init -q sub; cd sub\n"+
			"git commit -q --allow-empty -m 1; chmod 755 "+dir)
		shell(t, dir, fmt.Sprintf("chown -R %d:%[1]d .", uid))
		v := &gitPlace{t: t, uid: uid, dir: filepath.Join(dir, "w")}
		cmd := sandbox(t, "--quiet", "--land", "--read", dir+"/victim", "--env", "GIT_CONFIG_COUNT",
			"--", "bash", "-c", "VICTIM="+dir+"/victim; HERE="+dir+"/work; "+swaps)
		out := v.run(filepath.Join(dir, "work"), cmd)
		left := v.run(filepath.Join(dir, "work"), exec.Command("sh", "-c",
			"[ ! -L sub ] || rm sub; [ -e sub ] || mv sub- sub; cd sub; find .git -name '*.lock' -delete\n"+
				"git fsck --full --no-dangling 2>&1 | grep -v ^notice; ls -A ../../victim"))
		if left != "<nil>" {
			t.Errorf("uid %d: %s\n%s", uid, left, out)
		}
	}
}
