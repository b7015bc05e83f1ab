package classify

import (
	"strings"
	"testing"
)

// TestMentioned holds that a rule about a program finds it in what another one runs as no shell
// does, and not where a text only names it.
func TestMentioned(t *testing.T) {
	for _, command := range strings.Split(strings.TrimSpace(`
vim -c '!hid' a
vim '+silent !hid' a
ex a <<<'!hid'
gdb -ex 'shell hid' -batch
sqlite3 a '.shell hid'
psql -c '\! hid a'
psql -c "copy a to program 'hid'"
tmux send-keys -t a hid Enter
screen -X stuff 'hid\n'
git -c core.pager=hid log
git -c alias.x='!hid' x
git clone 'ext::hid a'
git config alias.x '!hid'
GIT_SSH_COMMAND='hid a' git fetch
RSYNC_RSH=hid rsync a b:c
PAGER=hid man ls
PERL5DB='system("hid")' perl -d -e 1
JAVA_TOOL_OPTIONS=-XX:OnError=hid java A
ssh -o ProxyCommand='hid %h' a
make 'X!=hid'
make X='!=hid'
make -f - <<<'a:;hid'
make CC='hid a'
tar --to-command=hid -xf a
docker run -v /:/a b hid
kubectl exec a -- hid
uv run hid
poetry run sh -c hid
bundle exec hid
su - root -c hid
python3 -c 'import pty; pty.spawn("hid")'
python3 -i -c '' <<<'import pty; pty.spawn("hid")'
perl '-Mx;system(q(hid))' -e 1
perl -F'/a/,system(q(hid))' -ane 1 a
perl -ne 1 'hid |'
node -e 'process.binding("spawn_sync").spawn({file:"hid"})'
osascript -e 'do shell script "hid"'
nosuchprogram -- hid a
socat - EXEC:hid
setarch -R hid
echo hid | parallel
printf -v PS4 '$(hid)'; set -x; :
read -r PS4 <<<'$(hid)'; set -x; :
declare -n r=PS4; r='$(hid)'; set -x; :
f() { printf -v "$1" %s '$(hid)'; }; f PS4; set -x; :
x='$(hid)'; PS4='${x@P}'; set -x; :
PS4=$(cat a); set -x; :
printf -v PS1 '$(hid)'; export PS1; bash --norc -i <<<:
vi a <<<':!hid'
`), "\n") {
		if !seen(command, "hid") {
			t.Errorf("%s: not seen", command)
		}
	}
	for _, command := range strings.Split(strings.TrimSpace(`
git commit -m 'hid a'
gh pr create --title 'hid a' --body 'hid b'
rm -rf hid
grep hid a
apt-get install hid
pip install hid
curl https://example.org/hid
scp hid a:
rsync -a hid a:
kubectl logs hid
python3 -c 'print("hid a")'
make hid
npm run hid
git stash drop
`), "\n") {
		if seen(command, "hid") {
			t.Errorf("%s: seen", command)
		}
	}
	for pattern, want := range map[string]bool{"git push *": true, "git push --force *": true,
		"git pull *": false, "git push --mirror *": false, "git *": true, "push *": true} {
		p, err := ParsePattern(pattern)
		r := Classify(`vim -c '!git -C a push --force b' a`, &here)
		if err != nil || (p.Any(&r) != nil) != want {
			t.Errorf("%s: %v, %v", pattern, !want, err)
		}
	}
}
