package classify

import (
	"path"
	"strings"
)

// rulesOf are files that a build or test tool runs by convention, as patterns.
const rulesOf = `Makefile makefile GNUmakefile *.mk package.json conftest.py test_*.py ` +
	`*_test.py pytest.ini setup.py setup.cfg tox.ini noxfile.py build.rs CMakeLists.txt
 *.cmake CMakePresets.json meson.build meson.options Rakefile rakefile Gemfile *.gemspec .rspec
 *_spec.rb *_test.rb build.gradle build.gradle.kts settings.gradle settings.gradle.kts
 gradle.properties init.gradle pom.xml build.xml justfile Justfile .justfile Taskfile.yml
 Taskfile.yaml mix.exs rebar.config build.zig Dockerfile Containerfile *.config.js *.config.ts
 *.config.mjs *.config.cjs .eslintrc.* .babelrc* .mocharc* .prettierrc.* Gruntfile.js gulpfile.js
 BUILD BUILD.bazel WORKSPACE MODULE.bazel *.bzl SConstruct SConscript wscript configure ` +
	`autogen.sh bootstrap
 gradlew mvnw mill sbt rebar3 waf bazel bazelisk
 dune Package.swift project.clj build.sbt *.cabal Setup.hs *.csproj *.fsproj *.props *.targets
 Directory.Build.* composer.json phpunit.xml* Vagrantfile sitecustomize.py usercustomize.py
 config.toml .npmrc .yarnrc.yml *.test.js *.test.ts *.spec.js *.spec.ts
 .pre-commit-config.yaml lefthook.yml tasks.py fabfile.py dodo.py Jakefile Snakefile Procfile
 jvm.config extensions.xml mise.toml .mise.toml .tool-versions deps.edn bb.edn .bazelrc ` +
	`.buckconfig Earthfile Tiltfile
 skaffold.yaml *.conf.js *.conf.ts .lintstagedrc* .luacheckrc .pylintrc .rubocop.yml ` +
	`.stylelintrc* .commitlintrc*
 .remarkrc* .releaserc* .swcrc Makefile.toml xmake.lua premake5.lua platformio.ini artisan ` +
	`.iex.exs .formatter.exs .credo.exs .ocamlinit .irbrc .pryrc
 spec_helper.rb rails_helper.rb test_helper.rb test_helper.exs build.mill build.sc Makefile.PL ` +
	`Build.PL extconf.rb`

// rulesBy are files that some tools alone run: the first word of the program, then
// patterns.
const rulesBy = `go *.go
ninja *.ninja
samu *.ninja
tup Tupfile* *.lua
b2 Jam* *.jam
bjam Jam* *.jam
qmake *.pro *.pri
gn *.gn *.gni
buck2 BUCK *.bzl
pants BUILD *.toml *.py
mage *.go
thor Thorfile *.thor
guard Guardfile
cap Capfile *.rb
fastlane Fastfile
pod Podfile *.podspec
danger Dangerfile
mask maskfile.md
redo *.do
cargo *.rs
mix *.ex *.exs
rake *.rake *.rb
vagrant Vagrantfile
docker docker-compose*.y*ml compose*.y*ml
docker-compose docker-compose*.y*ml compose*.y*ml
podman docker-compose*.y*ml compose*.y*ml
podman-compose docker-compose*.y*ml compose*.y*ml
deno *.ts *.js
bun *.ts *.js
dotnet *.cs *.fs
swift *.swift
zig *.zig
rails *.rb *.rake
php *.php
bats *.bats
prove *.t
busted *.lua .busted
sphinx-build conf.py
mkdocs mkdocs.yml
turbo turbo.json
nx nx.json project.json
hatch pyproject.toml
pdm pyproject.toml
poe pyproject.toml
poetry pyproject.toml
pixi pyproject.toml pixi.toml
deno deno.json deno.jsonc
bun bunfig.toml
latexmk latexmkrc .latexmkrc
stack stack.yaml package.yaml
cabal cabal.project*
R DESCRIPTION *.R
Rscript *.R .Rprofile
julia *.jl
lake lakefile*
crystal *.cr shard.yml
nim *.nims *.nim *.nimble
nimble *.nims *.nim *.nimble
dub dub.json dub.sdl *.d
ng angular.json
ansible-playbook *.y*ml
terraform *.tf
act *.y*ml
nix-build *.nix
nix *.nix
nix-shell *.nix
guix *.scm
lua *.lua
racket *.rkt
perl *.pm
ruby *.rb
elixir *.ex*
sbt *.sbt *.scala
dune *.ml dune-project
gleam *.gleam *.erl *.mjs
`

// justWritten is the rule for a tool that runs by convention what the same
// command has written: nobody has read that yet.
func (a *argv) justWritten() {
	a.unpacks()
	if a.name == "npm pkg" || len(a.w.written) == 0 && a.w.unpacked == "" {
		return
	}
	program, _, _ := strings.Cut(a.name, " ")
	if !a.runsRules() {
		return
	}
	if a.w.unpacked != "" {
		a.p.add(runsHidden, a.name, a.name+" runs what this command has just taken from "+
			show(a.w.unpacked))
		return
	}
	for _, file := range a.w.written {
		if base := path.Base(file); a.runsFile(program, file, base) && !a.readsWritten(file) ||
			a.runsHarm(program, file) {
			a.p.add(runsUnread, a.name, a.name+" runs what this command has just written, "+base)
			return
		}
	}
}

// runsRules reports whether the program runs the project's rules or code, whatever its
// sub-command only says.
func (a *argv) runsRules() bool {
	switch a.name {
	case "docker build", "docker compose", "docker compose up", "docker compose run",
		"docker compose build",
		"docker compose start", "docker-compose up", "podman compose up", "podman-compose up":
		return true
	}
	program, _, _ := strings.Cut(a.name, " ")
	if program == "vagrant" || program == "make" || program == "mix" || program == "snakemake" {
		return true
	}
	if inList(" bundle npm pnpm yarn bun composer xmake premake5 pio platformio iex ocaml utop "+
		"luacheck php busted irb pry rails ", program) {
		return !a.fixed || a.base != readOnly
	}
	return a.base == buildTest && (a.row.level != readOnly || a.row.reader == "python") ||
		a.row.reader == "r" && max(a.base, a.p.Level) == buildTest
}

func (a *argv) runsFile(program, file, base string) bool {
	for pattern := range strings.FieldsSeq(rulesOf) {
		if glob(pattern, base) {
			return true
		}
	}
	if strings.Contains(file, "/node_modules/") || strings.Contains(file, "/.venv/") ||
		strings.Contains(file, "/vendor/bin/") || strings.Contains(file, "/venv/bin/") {
		return true
	}
	for line := range strings.Lines(rulesBy) {
		tool, patterns, _ := strings.Cut(line, " ")
		if tool != program {
			continue
		}
		last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
		if program != last && !inList(" run r test t generate bench nextest exec eval task e up start "+
			"build compose spec c check shell develop "+
			"lib x serve lint ", last) {
			return false
		}
		if (program == "go" || program == "cargo" || program == "zig" || program == "dotnet" ||
			program == "swift") && last == "build" {
			return false // it compiles, and runs nothing of it
		}
		for pattern := range strings.FieldsSeq(patterns) {
			if glob(pattern, base) {
				return true
			}
		}
	}
	return false
}

// runsHarm reports whether a tool that tests or runs the project comes by source that the command
// has written, wherever it lies, of which the text says that it runs programs or loses files. What
// such source else does is the project's own.
func (a *argv) runsHarm(program, file string) bool {
	end := path.Ext(file)
	language := textLanguages[end]
	if language == "" || inList(onlyLooking, program) ||
		inList(onlyLooking, a.name[strings.LastIndexByte(a.name, ' ')+1:]) {
		return false
	}
	t := a.w.noted(word{text: file, from: fromTemp}, a.sc)
	if t == nil || t.own || t.reading {
		return false
	}
	t.reading = true
	var p Part
	r := a.w.row(language)
	b := argv{w: a.w, p: &p, sc: a.sc, row: r, name: r.name, base: readOnly}
	b.code(a.name+" "+path.Base(file), lit(t.text))
	if t = a.w.noted(word{text: file, from: fromTemp}, a.sc); t != nil {
		t.reading = false
	}
	worst := max(p.Level, highest(p.Parts))
	return worst >= destructive && worst != network
}

// onlyLooking are tools, and commands of tools, that build the project or look at its source and
// run nothing of it.
const onlyLooking = " build compile check lint vet clippy doc docs fmt format audit tsc mypy " +
	"pyright eslint ruff biome tree list why version help clean gcc g++ cc c++ clang clang++ " +
	"javac kotlinc scalac ghc rustc swiftc nvcc pylint flake8 bandit shellcheck rubocop " +
	"phpstan psalm golangci-lint staticcheck sphinx-build mkdocs esbuild webpack rollup " +
	"tsup swc babel vue-tsc svelte-check "

// unpacks notes that the command writes files of names that nobody sees: those in an archive or a
// patch from outside the workspace.
func (a *argv) unpacks() {
	switch a.name {
	case "tar", "gtar", "bsdtar":
		if !a.flagged("-x", "--extract", "--get") {
			return
		}
	case "unzip", "7z", "7z x", "7za", "7zz", "unar", "unrar", "cpio", "patch", "git apply", "git am",
		"ditto", "dtrx":
	case "cp", "mv", "rsync", "install":
		a.copiesMany()
		return
	default:
		return
	}
	if a.fixed && a.base == readOnly {
		return
	}
	from := a.words
	if n := len(a.operands); n > 1 && inList(" cp gcp rsync ", a.name) {
		from = a.operands[:n-1]
	}
	for _, wd := range append(from[:len(from):len(from)], lit(a.in.file)) {
		if a.w.foreignPlace(wd.text, a.sc) {
			a.w.unpacked = wd.text
		}
	}
}

// copiesMany notes that the command copies files of names that nobody sees into the workspace:
// those that a pattern or a folder outside of it has.
func (a *argv) copiesMany() {
	many := a.row.name == "rsync" || a.flagged("-r", "-R", "-a", "--recursive", "--archive")
	for i := 0; i+1 < len(a.operands); i++ {
		from := a.operands[i]
		_, data := dataEnd(path.Base(from.text))
		if (many || from.glob || a.row.name == "mv" && path.Ext(from.text) == "") && !data &&
			a.w.foreignPlace(from.text, a.sc) {
			a.w.unpacked = from.text
		}
	}
}

// copiesInto notes the names of the files that a program puts into a folder: cp ../x/Makefile .
func (a *argv) copiesInto() {
	if !inList(" cp mv install ln rsync ", a.row.name) || len(a.operands) == 0 {
		return
	}
	from, to := a.operands[:len(a.operands)-1], a.operands[len(a.operands)-1]
	if dir, ok := a.value("-t", "--target-directory"); ok {
		from, to = a.operands, dir
	} else if to.text != "." && to.text != ".." && !strings.HasSuffix(to.text, "/") &&
		len(from) < 2 {
		return
	}
	for _, file := range from {
		if file.plain() {
			a.w.wroteFile(path.Join(to.text, path.Base(file.text)), a.sc)
		}
	}
}
