package classify

import (
	"slices"
	"strings"
)

// mvn knows the goals of Maven's own plugins that leave the project.
func (a *argv) mvn() {
	a.targets()
	for _, o := range a.operands {
		plugin, goal, _ := strings.Cut(mavenGoal(o.text), ":")
		switch {
		case plugin == "versions" && !strings.HasPrefix(goal, "display"),
			plugin == "release" && (goal == "clean" || goal == "update-versions"):
			a.base = max(a.base, write)
		case plugin == "scm", plugin == "archetype" && strings.HasPrefix(goal, "generate"),
			inList(" dependency:get wrapper:wrapper ", o.text):
			a.p.raise(network, "mvn "+o.text, "mvn "+o.text+" talks to other machines")
		case goal == "purge-local-repository" || goal == "delete-archetypes":
			a.p.raise(destructive, "mvn "+o.text, "mvn "+o.text+" deletes what was fetched")
		}
	}
	for _, wd := range a.words {
		if source, ok := strings.CutPrefix(wd.text, "-Dsource="); ok && a.groovyGoal() {
			a.w.run([]word{lit("groovy"), lit("-e"), wd.with(source)}, stream{}, a.sc.sub(), &a.p.Parts)
		}
		if strings.HasPrefix(wd.text, "-DshowPasswords") ||
			strings.HasPrefix(wd.text, "-Dexpression=settings.servers") {
			a.p.raise(destructive, "path:secret", "mvn prints the passwords in its settings")
		}
	}
}

// groovyGoal reports whether a goal is that of a plugin which runs Groovy.
func (a *argv) groovyGoal() bool {
	return slices.ContainsFunc(a.operands, func(o word) bool {
		plugin, _, _ := strings.Cut(mavenGoal(o.text), ":")
		return inList(" groovy gmaven gmavenplus ", plugin)
	})
}

// mavenGoal returns a goal by the short name of its plugin: release:perform for
// org.apache.maven.plugins:maven-release-plugin:3.0.0:perform.
func mavenGoal(text string) string {
	pieces := strings.Split(text, ":")
	if len(pieces) < 3 {
		return text
	}
	plugin := strings.TrimSuffix(pieces[1], "-maven-plugin")
	if short, ok := strings.CutPrefix(plugin, "maven-"); ok {
		plugin = strings.TrimSuffix(short, "-plugin")
	}
	return plugin + ":" + pieces[len(pieces)-1]
}
