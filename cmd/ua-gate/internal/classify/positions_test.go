package classify

import (
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/internal/common/verdict"
)

// places are where a command may stand in a line of each shell, with CALL for the command and
// ↵ for a newline: wherever it is run, or may be, it counts.
var places = map[string]string{
	"bash": `
CALL
  CALL
CALL &
CALL;
CALL | cat
ls | CALL
ls |& CALL
ls && CALL
ls || CALL
ls; CALL
ls & CALL
ls↵CALL
ls \↵; CALL
! CALL
time CALL
coproc CALL
coproc x { CALL; }
(CALL)
{ CALL; }
( (CALL) )
{ { CALL; }; }
if CALL; then ls; fi
if ls; then CALL; fi
if ls; then ls; elif CALL; then ls; fi
if ls; then ls; else CALL; fi
while CALL; do ls; done
while ls; do CALL; break; done
until CALL; do ls; done
until ls; do CALL; done
for x in 1 2; do CALL; done
for x in $(CALL); do ls; done
for ((i = 0; i < 3; i++)); do CALL; done
for x; do CALL; done
select x in 1 2; do CALL; done
case x in x) CALL;; esac
case x in *) ls;& y) CALL;; esac
case $(CALL) in x) ls;; esac
case x in $(CALL)) ls;; esac
f() { CALL; }; f
f() ( CALL ); f
function f { CALL; }; f
f() { ls; CALL; }; f | cat
echo $(CALL)
echo "$(CALL)"
echo "a $(echo "b $(CALL)")"
echo ` + "`CALL`" + `
echo "` + "`CALL`" + `"
echo ${x:-$(CALL)}
echo ${x:=$(CALL)}
echo ${x/a/$(CALL)}
echo ${x#$(CALL)}
echo ${x[$(CALL)]}
echo $((1 + $(CALL)))
echo $[1 + $(CALL)]
((x = $(CALL)))
let x=$(CALL)
[[ $(CALL) == x ]]
[ "$(CALL)" = x ]
test -n "$(CALL)"
x=$(CALL)
x=$(CALL) ls
x+=$(CALL)
x=(1 $(CALL))
x=([1]=$(CALL))
declare x=$(CALL)
export x="$(CALL)"
local x=$(CALL)
readonly x=$(CALL)
cat <(CALL)
tee >(CALL)
cat < <(CALL)
cat <<E↵$(CALL)↵E
cat <<"E" | sh↵CALL↵E
cat <<<"$(CALL)"
sh <<<"CALL"
sh <<'E'↵CALL↵E
ls >$(CALL)
ls 2>"$(CALL)"
eval CALL
eval "CALL"
eval 'ls; CALL'
sh -c 'CALL'
bash -c "CALL"
bash -ec 'ls; CALL'
bash -c 'eval "CALL"'
echo 'CALL' | sh
printf 'CALL' | bash
trap 'CALL' EXIT
trap 'CALL' ERR; false
command CALL
builtin eval 'CALL'
exec CALL
nohup CALL
nice -n 5 CALL
timeout 5 CALL
stdbuf -o0 CALL
setsid CALL
env CALL
env A=1 CALL
env -i PATH=/bin CALL
A=1 CALL
A=1 B="2 3" CALL
xargs CALL
ls | xargs -n1 sh -c 'CALL'
find . -exec sh -c 'CALL' \;
find . -name x -exec sh -c "CALL" +
watch 'CALL'
flock f CALL
flock f -c 'CALL'
parallel ::: 'CALL'
script -c 'CALL'
unshare sh -c 'CALL'
# c↵CALL
ls # c↵CALL
ls "#"; CALL
ls \#; CALL
ls a#b; CALL
ls '; CALL'; CALL
ls $'\''; CALL
ls "\""; CALL
ls ${#x}; CALL
ls $# ; CALL
`, "fish": `
CALL
ls; CALL
ls; and CALL
ls; or CALL
ls && CALL
ls || CALL
not CALL
! CALL
if ls; CALL; end
if CALL; ls; end
if ls; ls; else; CALL; end
while ls; CALL; end
for x in 1 2; CALL; end
for x in (CALL); ls; end
switch x; case '*'; CALL; end
begin; CALL; end
function f; CALL; end; f
echo (CALL)
echo $(CALL)
echo "$(CALL)"
set x (CALL)
set -x x (CALL)
eval 'CALL'
command CALL
builtin eval 'CALL'
time CALL
CALL &
ls | CALL
CALL | ls
echo 'CALL' | source
echo 'CALL' | fish
fish -c 'CALL'
sh -c 'CALL'
cat (CALL | psub)
trap 'CALL' EXIT
ls \#; CALL
ls "#"; CALL
A=1 CALL
exec CALL
`}

// idle are places where nothing is run.
var idle = map[string]string{
	"bash": `
# CALL
ls # CALL
ls '# CALL'
echo 'CALL'
echo "CALL"
echo '$(CALL)'
echo "\$(CALL)"
echo \$\(CALL\)
grep 'CALL' f
cat <<'E'↵CALL↵E
cat <<E↵CALL↵E
cat <<'E'↵$(CALL)↵E
: 'CALL'
[[ x == 'CALL' ]]
git log --grep 'CALL'
printf '%s\n' 'CALL'
cat <<<'CALL'
`, "fish": `
# CALL
ls # CALL
echo 'CALL'
echo '(CALL)'
grep 'CALL' f
`}

// TestPlaces has a command that needs rights in each place, and no level of it in what is not
// run.
func TestPlaces(t *testing.T) {
	const call = "sudo reboot"
	for run, all := range map[bool]map[string]string{true: places, false: idle} {
		for shell, lines := range all {
			for line := range strings.Lines(strings.TrimSpace(lines)) {
				line = strings.TrimSuffix(line, "\n")
				command := strings.ReplaceAll(strings.ReplaceAll(line, "CALL", call), "↵", "\n")
				r := Classify(command, &machine.Options{Cwd: here.Cwd, Home: here.Home, Shell: shell})
				if run && r.Level < verdict.Destructive || !run && r.Level > verdict.ReadOnly {
					t.Errorf("%s: %q is %v (%s: %s)", shell, command, r.Level, r.Row, r.Reason)
				}
			}
		}
	}
}
