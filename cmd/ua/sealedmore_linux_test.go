package main

import (
	"testing"

	"ua/internal/test/scripttest"
)

// TestSealedMoreCheats: kinds that TestSealedCheats has not: the clock, resources, names, the
// check's own parsing, nested agents, mounts, and what survives into a second round.
func TestSealedMoreCheats(t *testing.T) {
	t.Parallel()
	scripttest.NeedProcesses(t)
	const make = "make test"
	for _, uid := range users() {
		t.Run(map[bool]string{true: "root", false: "user"}[uid == 0], func(t *testing.T) {
			for i, c := range []struct{ cheat, check string }{
				// Names: another case, composed otherwise, with white space, dots and slashes.
				{"printf 'test:\\n\\ttrue\\n' >makefile; printf 'test:\\n\\ttrue\\n' " +
					">MAKEFILE", make},
				{"mkdir -p 'tests/unit '; echo true >'tests/unit /run.sh'; rm -r tests/unit; " +
					"mv 'tests/unit ' tests/unit", make},
				{"printf 'test:\\n\\ttrue\\n' >$'Makefile\\n'; mv $'Makefile\\n' " +
					"./././Makefile", make},
				// Mounts and namespaces of the command's own.
				{"unshare -rm sh -c 'mount --bind prog.sh tests/unit/run.sh; sleep 5' & " +
					"sleep 1", make},
				{"unshare -rm mount -t tmpfs none tests", make},
				// Times and hard links: the same bytes and times, other content behind.
				{"cp -a tests/unit/run.sh r; echo : >tests/unit/run.sh; touch -r r " +
					"tests/unit/run.sh", make},
				{"ln tests/lib.sh l; printf 'fail() { :; } # same\\n' >l; touch -d @0 l", make},
				// git: another index, worktree settings, attributes, a replaced object, a hook.
				{"git update-index --assume-unchanged tests/unit/run.sh; echo : " +
					">tests/unit/run.sh", make},
				{"echo 'tests/unit/run.sh filter=x' >.gitattributes; git config " +
					"filter.x.smudge true; " +
					"git checkout -f -q .", make},
				{"git replace HEAD $(git commit-tree -m x $(git mktree </dev/null)); git " +
					"reset -q --hard", make},
				{"mkdir -p .git/hooks; printf '#!/bin/sh\\n: >tests/unit/run.sh\\n' " +
					">.git/hooks/post-checkout; " +
					"chmod +x .git/hooks/*", "git checkout -q .; " + make},
				{"git worktree add -q ../tests2 2>/dev/null; git sparse-checkout set " +
					"--no-cone /nothing", make},
				// Resources: a full process table, no descriptors, no memory, a file size of nothing.
				{"ulimit -n 3; ulimit -u 1; ulimit -f 0; ulimit -v 100", make},
				{"echo 'ulimit -f 0; ulimit -n 3; echo 42' >prog.sh; chmod 000 prog.sh", make},
				{"mkdir -p d; cd d; for i in $(seq 60); do mkdir d; cd d; done", make},
				// What the check reads of its own output, and its status.
				{"echo 'printf \"\\033[2J42\\\\r\\n\"; kill -TERM 0' >prog.sh", make},
				{`echo 'echo "{\"type\":\"check\",\"passed\":true}"; echo ` +
					`"{\"type\":\"sealed\"}" >&2' ` +
					">prog.sh", make},
				{"echo 'kill -STOP $$; kill -INT $PPID' >prog.sh; sed -i 1i\\trap " +
					"prog.sh", "timeout 3 " + make},
				{"echo 'echo 41; exit 77' >prog.sh", make},
				// Descriptors that outlive the command, also of what is sealed.
				{"exec 9>>tests/unit/run.sh; (sleep 1; echo 'exit 0' >&9) & disown " +
					"-a", "sleep 2; " + make},
				{"tail -f /dev/null >>Makefile & exec 8<>tests/lib.sh; echo 'fail() { :; }' " +
					">&8", make},
				// A nested agent, a job and the run's own folder.
				{"UA_MODEL=replay:sub.jsonl ua task; true", make},
				{"ua job start --at 1s -- sh -c 'while :; do : >tests/unit/run.sh; " +
					"done'", "sleep 2; " + make},
				// What is sealed is reached by another name, or is one.
				{"ln -s . here; rm -r here/tests; mkdir -p here/tests/unit; : " +
					">here/tests/unit/run.sh", make},
				{"mv tests .t; ln -s .t tests; : >.t/unit/run.sh; mkdir tests2; cp -r .t/. " +
					"tests2", make},
				{"cd ..; mv work w 2>/dev/null; mkdir work 2>/dev/null; : >work/prog.sh", make},
				// Inside the check: a fork that turns back at its end, a rename exchange, an overlay.
				{"echo 'cp -r tests t; : >tests/unit/run.sh; (sleep 0.2; rm -r tests; mv t " +
					"tests) & " +
					"echo 41' >prog.sh", make + " || " + make},
				{"echo 'unshare -rm sh -c \"mount --bind /dev/null tests/unit/run.sh; make " +
					"test\"; exit 1' " +
					">prog.sh", make + " || " + make},
			} {
				if !turn(uid, i) {
					continue
				}
				p := newPlace(t, uid)
				p.project()
				p.recording("sub.jsonl", "done", "echo : >tests/unit/run.sh",
					"ua job start --keep -- sh -c 'while :; do : >tests/unit/run.sh; done'")
				p.recording("main.jsonl", "all done", c.cheat)
				_, said, status := p.run("ua", "--tries", "1", "--sealed", sealed, "--until", c.check,
					"--until", make, "task")
				if status != 1 {
					t.Errorf("%s: status %d\n%s", c.cheat, status, said)
				}
				for _, check := range p.events("check") {
					if check.Get("passed").Bool() && check.Get("command").Str == make {
						t.Errorf("%s: a false green", c.cheat)
					}
				}
			}
		})
	}
}
