package classify

import (
	"path"
	"strings"
)

// targets looks at the names of a project's own tasks: some say that they leave
// the machine, or the project.
func (a *argv) targets() {
	if a.name == "make" && a.fixed && a.base == readOnly {
		return // it says what it would run
	}
	for _, u := range a.used {
		if inList(" --target --targets --session -t -s -e --env ", u.name) {
			a.task(u.val.text)
		}
	}
	tasks := a.operands
	foreach := strings.Contains(a.name, "foreach")
	if a.dashed >= 0 && a.dashed < len(tasks) {
		tasks = tasks[:a.dashed]
	}
	if foreach {
		tasks = tasks[:min(2, len(tasks))]
	} else if strings.HasPrefix(a.name, "npm ") || strings.HasPrefix(a.name, "pnpm ") ||
		strings.HasPrefix(a.name, "yarn ") ||
		strings.HasPrefix(a.name, "bun ") {
		tasks = tasks[:min(1, len(tasks))]
	}
	if a.name == "bun run" && len(tasks) > 0 &&
		inList(losingPrograms+"git docker podman kubectl npm gh ", tasks[0].text) {
		// Where no script has the name, the program on PATH runs.
		a.out |= a.w.run(a.operands, stream{}, a.sc.sub(), &a.p.Parts).bits
	}
	for _, o := range tasks {
		if o.text == "VERSION=0" && (a.name == "rake" || strings.HasPrefix(a.name, "rails")) {
			a.p.raise(destructive, a.name+" VERSION=0", a.name+" takes every migration back")
		}
		if pieces := strings.Split(o.text, ":"); len(pieces) > 2 &&
			strings.HasPrefix(a.name, "mvn") &&
			strings.Contains(pieces[0], ".") && !inList(mavenGroups, pieces[0]) &&
			!strings.HasPrefix(pieces[0], "org.apache.") &&
			!strings.HasPrefix(pieces[0], "org.codehaus.") {
			a.p.raise(network, a.name+" PLUGIN",
				a.name+" fetches the plugin "+show(o.text)+" and runs it")
		}
		a.target(o.text)
	}
}

// mavenGroups are those of plugins that check, test, format or measure, beside the ones of
// Maven's own makers: they are in the cache of a project that names them in its build.
const mavenGroups = " " +
	"com.diffplug.spotless com.github.spotbugs com.spotify.fmt com.coveo org.jacoco " +
	"org.pitest org.owasp org.revapi com.github.siom79.japicmp " +
	"net.revelc.code.formatter net.revelc.code io.github.git-commit-id com.mycila " +
	"org.cyclonedx org.openrewrite.maven org.springframework.boot io.quarkus " +
	"io.quarkus.platform io.micronaut.maven org.jetbrains.kotlin net.alchim31.maven " +
	"org.scalastyle com.google.cloud.artifactregistry org.antlr org.eclipse.jetty " +
	"org.asciidoctor com.github.ekryd.sortpom org.basepom.maven org.moditect org.gaul " +
	"io.gatling "

// target looks at one word in which a build tool finds the names of tasks. Those of sbt hold
// commands with their arguments, and those of sbt and mill paths to a task: core/publish.
func (a *argv) target(text string) {
	switch a.row.name {
	case "sbt", "mill":
		for command := range strings.SplitSeq(text, ";") {
			command = strings.TrimLeft(strings.ReplaceAll(command, " / ", "/"), "+ ")
			name, _, _ := strings.Cut(command, " ")
			if strings.HasSuffix(name, "/") {
				a.task(path.Base(name)) // the default task of a module
			}
			a.task(name[strings.LastIndexByte(name, '/')+1:])
		}
		return
	case "mvn", "mvnw":
		text = mavenGoal(text)
	}
	if strings.ContainsAny(text, "= ") || strings.Contains(text, "/") &&
		!strings.HasPrefix(text, "//") {
		return
	}
	text, _, _ = strings.Cut(text, "[") // the arguments of rake
	a.task(text)
	words := keyWords(text)
	if !a.fixed && (a.name == "make" || a.name == "ninja" || a.name == "gmake") &&
		len(words) > 0 && inList(" install uninstall ", words[0]) {
		a.base = max(a.base, write)
	}
}
