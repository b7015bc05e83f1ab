package classify

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/code"
)

// ownFile reports whether a word where a sub-command is expected is a file that the program
// runs, and judges it: bun x.ts, dotnet bin/app.dll.
func (a *argv) ownFile(file word) bool {
	if !inList(" .ts .tsx .js .mjs .cjs .jsx .dll .exe .swift ", path.Ext(file.text)) ||
		!inList(" bun dotnet swift ", a.name) {
		return false
	}
	if a.name == "swift" {
		a.base = buildTest
	}
	a.scriptFile(file)
	a.subbed = true
	return true
}

// mixDo runs each task of its list as mix runs it alone: mix do deps.get, compile.
func (a *argv) mixDo() {
	task := []word{lit("mix")}
	run := func() {
		if len(task) > 1 {
			a.w.run(task, stream{}, a.sc, &a.p.Parts)
		}
		task = []word{lit("mix")}
	}
	from := slices.IndexFunc(a.words, func(wd word) bool { return wd.text == "do" }) + 1
	for _, o := range a.words[from:] {
		text := strings.TrimSuffix(o.text, ",")
		if text != "" && text != "+" {
			task = append(task, o.with(text))
		}
		if text != o.text || text == "+" {
			run()
		}
	}
	run()
}

// denoRun runs a file of the project, or fetches one.
func (a *argv) denoRun() {
	file := first(a.operands, "").text
	if strings.HasPrefix(file, "npm:") || strings.HasPrefix(file, "jsr:") ||
		strings.Contains(file, "://") {
		a.p.raise(network, a.name, a.name+" fetches "+show(file)+" and runs it")
	}
}

// ownModule is the rule for a module of Python that no row knows: the project's own code, or a
// package that is installed, runs as a file of the project does.
func (a *argv) ownModule(name word, args []word) {
	top, _, _ := strings.Cut(name.text, ".")
	words := strings.Split(name.text, ".")
	away := false
	for _, wd := range args {
		if strings.HasPrefix(wd.text, "-") {
			_, val, _ := strings.Cut(wd.text, "=")
			away = away || val != "" && a.namesElsewhere(val) && !a.dataElsewhere(val)
			continue
		}
		away = away || !wd.plain() || a.namesElsewhere(wd.text) && !a.dataElsewhere(wd.text)
		words = append(words, wd.text)
	}
	program := a.w.row(strings.ReplaceAll(top, "_", "-"))
	switch {
	case !name.plain() || moduleName.get().FindString(name.text) == "", code.Standard("python", top),
		a.w.changed, a.w.unpacked != "", len(a.w.fetched)+len(a.w.links) > 0,
		slices.ContainsFunc(a.w.written, mayBeCode),
		a.sc.cwd != a.w.o.Cwd && a.w.foreignPlace(a.sc.cwd, a.sc),
		program != nil && program.level > buildTest && top == name.text && inList(pythonCommands, top),
		away:
		a.p.raise(destructive, a.name+" -m", "the module "+show(name.text)+" is not in the table")
		return
	}
	for _, w := range words {
		switch level, what := taskLevel(w); {
		case level > readOnly:
			a.p.raise(level, a.name+" -m", "the module "+show(name.text)+" says that it "+what)
		case inList(fetchVerbs, w) || inAny(" download downloader upload uploader deploy publish ",
			keyWords(w)):
			a.p.raise(network, a.name+" -m", "the module "+show(name.text)+" talks to other machines: "+
				show(w))
		case inAny(" install installer setup ", keyWords(w)):
			a.p.raise(destructive, a.name+" -m", "the module "+show(name.text)+" says that it installs")
		}
	}
	a.base = max(a.base, buildTest)
}

// pythonCommands are programs that are installed as modules of the same name, and do more than
// build or test.
const pythonCommands = " ansible awscli salt fabric httpie conda mamba pipx gsutil gcloud " +
	"streamlit gunicorn uvicorn hypercorn daphne celery scrapy " +
	"paramiko wget youtube_dl yt_dlp gdown huggingface_hub kaggle heroku serverless magic_wormhole " +
	"speedtest b2 s3cmd boto "

var moduleName = regex{text: `^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$`}

// npmTools are programs that the registry of npm has under the name by which the table knows
// them. A word of another program, such as cat or ruff, is there whatever somebody put there.
const npmTools = " tsc jest eslint prettier vitest playwright storybook mocha cypress webpack " +
	"tsx prisma hardhat rollup vite esbuild swc " +
	"babel nyc c8 ava tap karma jasmine stylelint typedoc jsdoc rimraf tsup turbo nx lerna next " +
	"nuxt astro gatsby svelte-check vue-tsc ng " +
	"tailwindcss postcss sass less parcel standard xo biome oxlint knip depcheck madge tsd ts-node " +
	"ts-jest nodemon concurrently npm-run-all run-s run-p " +
	"wait-on http-server serve commitlint husky lint-staged changeset semantic-release publint " +
	"attw size-limit markdownlint markdownlint-cli2 cspell " +
	"remark redocly spectral openapi-typescript graphql-codegen sequelize knex typeorm drizzle-kit " +
	"wrangler vercel netlify firebase expo react-native " +
	"electron electron-builder web-ext jscodeshift nodeunit tape uvu wtr web-test-runner testcafe " +
	"nightwatch wdio cucumber-js cucumber-js stryker " +
	"microbundle tsdx unbuild pkgroll ncc ncu npm-check npm-check-updates license-checker " +
	"dependency-cruiser depcruise sort-package-json syncpack " +
	"eslint_d dprint stylus pug html-validate html-minifier terser uglifyjs svgo imagemin " +
	"source-map-explorer bundlesize mdx docusaurus vuepress vitepress " +
	"eleventy hexo ember quasar ionic cap cordova lighthouse lhci pa11y axe truffle ganache " +
	"solhint prettier-eslint flow rescript elm elm-test elm-format " +
	"protobufjs pbjs pbts grpc_tools_node_protoc node-gyp prebuildify cmake-js napi " +
	"web-component-analyzer api-extractor ts-prune tsc-alias tsconfig-replace-paths " +
	"jsonlint ajv quicktype jscpd plop hygen create-react-app craco react-scripts vue-cli-service " +
	"aegir node-pg-migrate db-migrate zx mdformat md-toc doctoc " +
	"cross-env dotenv env-cmd patch-package is-ci codecov coveralls nyc-report sb test-storybook " +
	"chromatic percy loki backstop newman artillery autocannon " +
	"k6 textlint alex write-good linkinator markdown-link-check remark-cli prettierx tslint jshint " +
	"eslint-config-prettier tsc-watch tsc-files tscpaths "

// runner is npx and its like: a tool of the project if the table knows it by the name that the
// registry has it under, and else one that is fetched.
func (a *argv) runner() {
	name := first(a.rest, "").text
	name, _, _ = strings.Cut(name, "@")
	r := a.w.row(name)
	mild := r != nil && r.level <= write &&
		(inList(npmTools, name) || strings.HasSuffix(a.name, " exec") ||
			a.flagged("--offline", "--no-install", "--no"))
	if r != nil && len(a.rest) > 1 {
		level, ok := r.sub(a.rest[1].text)
		mild = mild || ok && level <= write && inList(npmTools, name)
	}
	if mild && (!inList(" uvx dlx ", a.name[strings.LastIndexByte(a.name, ' ')+1:]) ||
		a.flagged("--offline", "--no-install", "--no")) &&
		!a.flagged("-p", "--package", "--from", "--with", "-c",
			"--call") {
		a.base = readOnly
	}
}

// fileGoal reports whether a text of Prolog is a goal without arguments, of which only the file
// beside it can say anything: the rule for the file judges that.
func (a *argv) fileGoal(text string) bool {
	goal := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "."))
	goal = strings.TrimSpace(strings.TrimSuffix(goal, "halt"))
	goal = strings.TrimRight(goal, ", \n")
	if a.row.reader != "prolog" || len(a.operands) == 0 ||
		strings.Trim(goal, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" ||
		inList(" shell prolog edit make ", goal) {
		return false
	}
	a.base = max(a.base, buildTest)
	return true
}

// vanishes reports whether a place is where nothing stays after a run: its /tmp is a folder of
// its own, as /dev/shm is.
func (w *walker) vanishes(target word, sc *scope) bool {
	at := w.at(target.text, sc)
	if w.inWorkspace(at) {
		return false
	}
	return at.within("/tmp") || at.within("/dev/shm") || at.within("/var/tmp")
}

// movesAway is the rule for a file or folder of the project that is moved where it is gone
// after the run. What the command has made itself and noted more than so many times, or what
// builds and tests put there, is not.
func (a *argv) movesAway(from, to word, noted int) {
	for _, file := range a.w.written {
		if file == a.w.at(from.text, a.sc).abs {
			noted--
		}
	}
	if strings.Contains(from.text, hole) || !a.w.vanishes(to, a.sc) ||
		!a.w.inWorkspace(a.w.at(from.text, a.sc)) ||
		noted < 0 || a.w.wroteBelow(from, a.sc) {
		return
	}
	for piece := range strings.SplitSeq(strings.Trim(from.text, "./"), "/") {
		if madeByBuilds(piece) {
			return
		}
	}
	a.p.raise(destructive, a.name, a.name+" moves "+show(from.text)+" to "+show(to.text)+
		", which does not stay")
}

// wroteBelow reports whether the command has written into the folder.
func (w *walker) wroteBelow(dir word, sc *scope) bool {
	at := w.at(dir.text, sc)
	return slices.ContainsFunc(w.written,
		func(file string) bool { return strings.HasPrefix(file, at.abs+"/") }) ||
		slices.ContainsFunc(w.built, func(file string) bool {
			return file == at.abs ||
				strings.HasPrefix(file, at.abs+"/")
		})
}

// madeByBuilds reports whether a name is one that builds, tests and tools give to what they make.
func madeByBuilds(name string) bool {
	name = strings.ToLower(name)
	if inList(" .log .out .o .a .so .tmp .temp .bak .orig .old .prof .pprof .cov .gz .tgz .zip "+
		".tar .xz .whl .jar .class .pyc .exe .dll .wasm .dump .trace "+
		".html .pdf .svg .png .csv .xml .lcov .info .rej .patch .diff .bin .elf .map .cache .swp .core ",
		path.Ext(name)) {
		return true
	}
	if path.Ext(name) == ".txt" && !strings.HasPrefix(name, "requirements") &&
		!strings.HasPrefix(name, "constraints") &&
		name != "cmakelists.txt" {
		return true
	}
	for _, made := range []string{"build", "dist", "out", "target", "bin", "obj", "coverage",
		"report", "result", "output", "htmlcov", "node_modules",
		"__pycache__", "cache", "tmp", "temp", "log", "artifact", "venv", "app", "core", "a.out",
		"_build", ".next", ".venv", ".tox", "test-results", "bench",
		"gen", "cmake-build", "junit", "screenshots", "profile", "cover"} {
		if strings.HasPrefix(strings.TrimLeft(name, "."), strings.TrimLeft(made, ".")) {
			return true
		}
	}
	return false
}

// setsOnly reports whether a word of sbt only sets a key to a value that is written out.
func setsOnly(text string) bool {
	return sbtSetting.match(text) && !codeSetting.match(text[strings.IndexByte(text, '=')+1:])
}

// codeSetting finds in a value of a build what may name code.
var codeSetting = regex{text: `[/~]|-[XJ]|plugin`}

var sbtSetting = regex{text: `^set\s+(?:\w+\s*/\s*)*\w+\s*(?::=|\+=|\+\+=)\s*(?:true|false|\d+|"[^"]*"|(?:Seq|List)\((?:\s*"[^"]*"\s*,?)*\))$`}
