package classify

import (
	"path"
	"strings"

	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/verdict"
)

// Words by which people name what a task or a sub-command does. The table can't know
// every one of them, but what it is called it mostly does.
const (
	losesWords = " rm del uninstall delete destroy drop purge wipe erase truncate reset rollback " +
		"prune remove revoke rotate terminate kill shutdown flush teardown undeploy flash " +
		"credentials decrypt reveal replant loaddata "
	runsWords   = " eval console repl shell tinker runner dbshell dbconsole execute "
	leavesWords = " deploy deploys redeploy publish unpublish upload push submit send ship ghpages " +
		"login logout release sonatype "
	mildWords = " test tests lint check checks dry verify validate mock preview typecheck unit e2e " +
		"spec assemble bundle compile generate process package build docs no cache caches tmp temp " +
		"coverage dist snapshot snapshots mocks local m2 simulator "
)

// taskLevel returns what the name of a task or sub-command says that it does: lose something or
// leave the machine. With another word it is read_only, which says nothing.
func taskLevel(name string) (verdict.Level, string) {
	words := keyWords(name)
	for i, w := range words {
		switch {
		case i > 0 && inList(mildWords, words[i-1]), w == "release" && !releases(name, words, i):
			// check-deploy deploys nothing, and assembleRelease builds.
		case inList(leavesWords, w) && !inAny(" local m2 cache snapshot ", words[i+1:]):
			return network, "leaves this machine"
		case inList(losesWords, w) && !inAny(mildWords, words), name == w && inList(runsWords, w),
			w == "load" && i > 0 && inList(" schema structure fixtures ", words[i-1]),
			w == "clean" && i > 0 && inList(" flyway db database liquibase ", words[i-1]):
			return destructive, "loses something"
		}
	}
	return readOnly, ""
}

// releases reports whether the release among the words of a name, word i, leaves the machine, as
// release and ci-release do: assembleRelease, linuxRelease and release:notes do not.
func releases(name string, words []string, i int) bool {
	if i+1 < len(words) && (inList(mildWords, words[i+1]) || words[i+1] == "notes") {
		return false
	}
	return strings.HasPrefix(name[strings.LastIndexAny(name, ":/.")+1:], "release") || i == 0 ||
		inList(" ci cd and full github gitlab maven npm pypi docker do cut create ", words[i-1])
}

func inAny(list string, words []string) bool {
	for _, w := range words {
		if inList(list, w) {
			return true
		}
	}
	return false
}

// task is the rule for a word that names a task.
func (a *argv) task(name string) {
	if a.onlyPlans() || a.row.facts&factListed != 0 && inList(runsWords, name) {
		return
	}
	if name == "release" && inList(" make gmake ninja samu dune cmake ", a.row.name) {
		return // it builds what others publish
	}
	if level, what := taskLevel(name); level > readOnly {
		a.p.add(judgement.Of(level), a.name+" "+name, "the task "+name+" says that it "+what)
	}
}

// targets looks at the names of a project's own tasks.
func (a *argv) targets() {
	tasks := a.operands
	if a.dashed >= 0 && a.dashed < len(tasks) {
		tasks = tasks[:a.dashed]
	}
	if strings.HasSuffix(a.name, " run") {
		tasks = tasks[:min(1, len(tasks))]
	}
	for _, u := range a.used {
		if inList(" --target --targets -t ", u.name) {
			tasks = append(tasks[:len(tasks):len(tasks)], u.val)
		}
	}
	for _, o := range tasks {
		if pieces := strings.Split(o.text, ":"); len(pieces) > 2 && strings.HasPrefix(a.name, "mvn") &&
			strings.Contains(pieces[0], ".") && !strings.HasPrefix(pieces[0], "org.") {
			a.p.add(talks, a.name+" PLUGIN", a.name+" may fetch the plugin "+show(o.text))
		}
		name, _, _ := strings.Cut(o.text, "[")
		for name := range strings.FieldsSeq(strings.ReplaceAll(name, ";", " ")) {
			i := strings.LastIndexByte(name, '/')
			if a.name == "sbt" || i < 0 && !strings.Contains(name, "=") {
				a.task(name[i+1:])
			}
		}
	}
}

// tasks is the rule for a program that builds or writes whose first word is no
// sub-command of the table: it may be one all the same, and is judged by its name.
func (a *argv) tasks() {
	if len(a.operands) == 0 || a.rest != nil || a.fixed && a.base == readOnly ||
		strings.HasPrefix(a.name, "git ") || a.row.facts&(factCode|factScript) != 0 {
		return
	}
	if inList(ownRunners, a.name) {
		a.ownTask()
		return
	}
	o := a.operands[0]
	if a.row.level == write && a.base == write && strings.Contains(o.text, ":") &&
		inAny(" check lint validate debug list verify status about ", keyWords(o.text)) {
		a.base = buildTest // app:check-translations
	}
	// A path, a flag or a sentence is no task's name.
	if !o.known() || strings.ContainsAny(o.text, "/ \n") || strings.HasPrefix(o.text, "-") ||
		strings.Contains(o.text, ".") && len(a.row.subs) == 0 {
		return
	}
	listed := a.row.facts&factListed != 0
	if listed && (a.row.level > write || testsOrChecks(a.name)) ||
		!listed && (a.subbed && (a.row.facts&factOpen == 0 || a.row.level != buildTest) ||
			a.row.level != buildTest && a.row.level != write) {
		return
	}
	// Where the row takes the first operand for a file to read, it is no task.
	switch a.row.slot(a.slots, 0, len(a.operands)).what {
	case isNothing, isOut, isList, isPlug, isLoose, isDefine, isAny:
		a.task(o.text)
	case isRead, isText:
		if listed {
			a.task(o.text)
		}
	}
}

// ownRunners build the project's own program and run it with the words behind.
const ownRunners = " go run cargo run cargo r dotnet run swift run stack run cabal run zig run " +
	"mill run dart run crystal run "

// ownTask is the rule for the project's own program that a build tool starts: its name, or the
// first word that it is given, may be that of a task, as in cargo run -p xtask -- release.
func (a *argv) ownTask() {
	for _, o := range a.operands[:min(2, len(a.operands))] {
		name := strings.TrimSuffix(path.Base(o.text), path.Ext(o.text))
		if level, _ := taskLevel(name); level == network && !strings.HasPrefix(name, "-") {
			a.task(name)
		}
	}
}

// testsOrChecks reports whether the sub-command takes the names of tests or of files.
func testsOrChecks(name string) bool {
	return inList(" test t tests bench check lint c build b doc search grep log logs show help ",
		name[strings.LastIndexByte(name, ' ')+1:])
}
