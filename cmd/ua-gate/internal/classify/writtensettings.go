package classify

import (
	"iter"
	"path"
	"strings"
)

// settingsBy are files by which single tools are told what to run, as programs with commas, then
// patterns. Those behind a bar count only where the text that the command has put into them is
// known to be harm: people edit them before every other test.
const settingsBy = `pipenv Pipfile
hatch hatch.toml hatch_build.py | pyproject.toml
alembic env.py alembic.ini
behave environment.py *steps*.py
cucumber,cucumber-js *steps* env.rb
conan conanfile.py
automake Makefile.am
autoreconf,autoconf configure.ac configure.in acinclude.m4
cmake CMakeUserPresets.json
cake Cakefile
jake jakefile*
broccoli Brocfile.js
ember ember-cli-build.js
gatsby gatsby-*.js gatsby-*.ts
storybook main.js main.ts preview.*
nyc .nycrc*
c8 .c8rc*
tap .taprc
cz .czrc
standard-version .versionrc*
yarn .yarnrc .pnp.cjs
pnpm .pnpmfile.cjs
phpunit bootstrap.php
phpstan phpstan*.neon*
php-cs-fixer .php-cs-fixer*.php .php_cs*
rector rector.php
psalm psalm.xml*
codecept codeception.y*ml *.suite.y*ml
behat behat.y*ml
dep deploy.php
gradle,gradlew gradle-wrapper.properties *.groovy *.kts
mvn,mvnw maven-wrapper.properties
ant ivy.xml build.properties
lein profiles.clj
clojure,clj *.clj
shadow-cljs shadow-cljs.edn
ocamlbuild _tags myocamlbuild.ml
nim nim.cfg
tuist Project.swift Workspace.swift
golangci-lint .custom-gcl.y*ml
air .air.toml
goreleaser .goreleaser.y*ml
docker docker-bake.*
cdk cdk.json
sls,serverless serverless.*
sam samconfig.toml
helmfile helmfile.y*ml
devenv devenv.nix
jekyll *.rb
mdbook book.toml
antora *playbook*.y*ml
quarto *.qmd | _quarto.y*ml
pdflatex,latex,lualatex,xelatex,tex,luatex texmf.cnf
overmind,hivemind,honcho,goreman,foreman Procfile*
nodemon nodemon.json
poetry build.py | pyproject.toml
dpkg-buildpackage,debuild rules
makepkg PKGBUILD
abuild APKBUILD
snapcraft snapcraft.yaml
forge foundry.toml
truffle truffle-config.js
anchor Anchor.toml
brownie brownie-config.y*ml
dvc dvc.yaml
luarocks *.rockspec
flask .flaskenv | *.py
gunicorn,uvicorn,hypercorn,daphne,granian | *.py
mise | *
pytest,tox,nox,pylint,mypy,flake8,coverage,ruff,python,python3 | pyproject.toml pytest.toml ` +
	`.coveragerc pylintrc mypy.ini .flake8
npm,yarn,pnpm,bun,make,just,task,rake,composer,cargo,go,mvn,gradle,gradlew | *.sh *.bash
lerna,nx,turbo | *.json
babel | babel.config.json
prettier | .prettierrc
`

// obeys reports whether the program is told by a file what it runs which the command has written:
// a text that nobody knows, or one that is harm.
func (a *argv) obeys(program string) (base string, is bool) {
	if a.fixed && a.base == readOnly {
		return "", false
	}
	for patterns := range settingsOf(program) {
		for _, file := range a.w.written {
			base, strict := path.Base(file), true
			for pattern := range strings.FieldsSeq(patterns) {
				if pattern == "|" {
					strict = false
				} else if glob(pattern, base) {
					t := a.w.noted(word{text: file, from: fromTemp}, a.sc)
					if t == nil && strict || t != nil && !t.own && a.harmful(file, t) {
						return base, true
					}
				}
			}
		}
	}
	return "", false
}

// settingsOf yields the patterns of the lines that name the program.
func settingsOf(program string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := settingsBy; ; {
			i := strings.Index(rest, program)
			if i < 0 {
				return
			}
			begins := i == 0 || rest[i-1] == '\n' || rest[i-1] == ','
			rest = rest[i+len(program):]
			line, after, _ := strings.Cut(rest, "\n")
			if _, patterns, _ := strings.Cut(line, " "); begins && (rest[0] == ' ' || rest[0] == ',') {
				if rest = after; !yield(patterns) {
					return
				}
			}
		}
	}
}

// harmful reports whether the text of a file that tools obey runs programs which lose something,
// or code from elsewhere.
func (a *argv) harmful(file string, t *fileText) bool {
	switch end := path.Ext(file); {
	case t.reading:
		return false
	case end == ".sh" || end == ".bash":
		var parts []Part
		t.reading = true
		a.w.text(t.text, stream{}, a.sc.sub(), &parts)
		worst := highest(parts)
		return worst >= destructive && worst != network
	case textLanguages[end] != "":
		return a.runsHarm("", file)
	}
	if outsideSetting.match(t.text) || strings.Contains(t.text, "!import") {
		return true
	}
	for line := range strings.Lines(t.text) {
		line = strings.TrimSpace(line)
		_, value, _ := strings.Cut(line, "=")
		_, second, _ := strings.Cut(line, ":")
		for _, text := range append(inQuotes(line), line, value, second,
			strings.Join(inQuotes(line), " "),
			strings.Join(inQuotes(second+value), " ")) {
			for command := range strings.FieldsFuncSeq(text, func(c rune) bool {
				return strings.ContainsRune(";&|`", c)
			}) {
				if losesByWords(strings.Trim(command, " \t\"'-[]{}!@,")) {
					return true
				}
			}
		}
	}
	return false
}

// outsideSetting finds a setting that is a path to where anybody puts files.
var outsideSetting = regex{text: `(?m)["'=:,\s\[](?:/tmp/|/dev/shm/|~/|\$HOME/|\$\{HOME\}/)`}
