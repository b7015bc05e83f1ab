# ua: build, test, measure and install. Needs Go, make and git.
PREFIX  = /usr/local
DESTDIR =
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS = -s -w -X ua/internal/common/prog.version=$(VERSION)
BIN     = $(CURDIR)/bin
MANS    = $(wildcard man/*.[157])

# The same for every go command, so that what one has compiled serves the others.
export CGO_ENABLED = 0
export GOFLAGS := $(shell go env GOFLAGS) -trimpath

BUILD   = go build -ldflags '$(LDFLAGS)' -o bin/
CORE    = ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-shell ua-try ua-doctor

.PHONY: all build demo test test-main test-race test-long test-agents test-engines test-mcp lint bench fuzz install install-files uninstall dist test-dist image test-image test-harness test-kernels test-kubernetes clean
all: build

build:
	@mkdir -p bin
	$(BUILD) ./cmd/...

# The demo does without SQLite, which takes longer to build than all the rest.
demo:
	@mkdir -p bin
	$(BUILD) $(addprefix ./cmd/,$(CORE))
	@scripts/demo

# What a run did not test is listed at its end. Many tests wait, for a second or for a terminal,
# so more run side by side than there are processors. What the race detector needs compiled is
# compiled meanwhile. lint has vetted all.
SKIPS = $(CURDIR)/skipped-tests
test: lint
	@rm -f '$(SKIPS)'
	@UA_TEST_BIN='$(BIN)' UA_TEST_SKIPS='$(SKIPS)' $(MAKE) --no-print-directory -j2 test-main test-race
	@if [ -s '$(SKIPS)' ]; then echo 'Not tested here:'; sort -u '$(SKIPS)'; fi

# Tests that run make are not to find this one's jobs. The longest packages come first.
APART = unset MAKEFLAGS MFLAGS MAKELEVEL;
LONGEST = ./cmd/ua ./cmd/ua-sandbox ./cmd/ua-try ./cmd/ua-shell
test-main:
	$(APART) go test -vet=off -count=1 -p 3 -parallel 6 -timeout 20m $(LONGEST) ./...

test-race:
	$(APART) scripts/test-race

# SQLite and the SDKs of the providers take longer to analyse than all the rest. What imports
# them, a driver and three tests, is compiled and run, and not linted.
lint: build
	@scripts/setup-test
	test -z "$$(gofmt -l cmd internal man scripts)"
	go vet -tags lint ./...
	go tool staticcheck -tags lint ./...
	shellcheck $$(scripts/shell-files)
	mandoc -T lint -W warning $(MANS)
	scripts/lint-house

# What the tests above do in part, whole: each folder on a path swapped in 1,000 rounds, each call at
# the end of a run killed, 510 hostile reads, 40,000 forged runs, 390 random programs in tries. As root
# it takes both users.
LONG = cd cmd/$(1) && UA_TEST_BIN='$(BIN)' UA_TEST_ALL=1 TRY_TEST_ROUNDS=1000 go test -count=1 -timeout 5h -v -run '$(2)' .
test-long: build
	$(call LONG,ua-try,TestSwaps|TestPrograms|TestRealPrograms)
	$(call LONG,ua,TestKilledAtTheEnd|TestManyForgedRuns|Cheats|TestSealedHonest)
	$(call LONG,ua-shell,TestHostileReads)

# The gate as a hook of other agents, our shell as their tool, and them recorded: some 1 GB, in AGENTS.
AGENTS = $(HOME)/.cache/ua-test-agents
test-agents: build
	UA_TEST_BIN='$(BIN)' UA_TEST_AGENTS='$(AGENTS)' go test -count=1 -timeout 30m -run RealAgents -v ./cmd/ua-gate/internal/agenthooks ./cmd/ua-mcp ./cmd/ua-record

# Agents by Slurm, for which slurm-wlm and munge have to be installed, as root; and spans
# into the receiver of the OpenTelemetry collector, which is fetched and built, as is an S3 server.
test-engines: build
	UA_TEST_BIN='$(BIN)' UA_TEST_ENGINES=1 go test -count=1 -timeout 20m -run 'TestVia|TestCollector|TestShip' -v ./cmd/ua ./cmd/ua-journal

# MCP servers and the conformance suite of the protocol, from npm; that of git is from PyPI.
MCP = $(HOME)/.cache/ua-test-mcp
test-mcp: build
	@mkdir -p '$(MCP)'
	cd '$(MCP)' && npm install --no-fund --no-audit node@22 @modelcontextprotocol/conformance@0.1.16 \
	  $(addprefix @modelcontextprotocol/server-,everything filesystem memory)
	cd '$(MCP)' && python3 -m venv python && python/bin/pip install -q mcp-server-git
	UA_TEST_BIN='$(BIN)' UA_TEST_MCP='$(MCP)' go test -count=1 -run 'TestServers|Conformance' -v ./cmd/ua-mcp

bench: build
	UA_TEST_BIN='$(BIN)' scripts/bench

# Each fuzz target for FUZZTIME.
FUZZTIME = 20s
fuzz:
	@for f in $$(grep -rlE '^func Fuzz' --include='*_test.go' cmd internal); do \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$f); do \
	    echo "$$f $$t"; go test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f) || exit; done; done

# What stands where: the programs, their manuals and completions for three shells.
SHARE    = $(DESTDIR)$(PREFIX)/share
BASHCOMP = $(SHARE)/bash-completion/completions
ZSHCOMP  = $(SHARE)/zsh/site-functions
FISHCOMP = $(SHARE)/fish/vendor_completions.d
PROGRAMS = $(notdir $(wildcard cmd/ua*))

install: build install-files
	@case ":$$PATH:" in *:'$(PREFIX)/bin':*) ;; *) \
	  echo 'install: $(PREFIX)/bin is not on your PATH: export PATH="$(PREFIX)/bin:$$PATH"' ;; esac
	@! command -v zsh >/dev/null || zsh -fc 'print -l $$fpath' | grep -qx '$(PREFIX)/share/zsh/site-functions' || \
	  echo 'install: for completion in zsh, ~/.zshrc needs fpath+=($(PREFIX)/share/zsh/site-functions) before compinit'
	@! command -v bash >/dev/null || test -e /usr/share/bash-completion/bash_completion || \
	  echo 'install: completion in bash needs the package bash-completion, which is not here'

install-files:
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(BASHCOMP)' '$(ZSHCOMP)' '$(FISHCOMP)' $(foreach n,1 5 7,'$(SHARE)/man/man$(n)')
	install -m 755 $(addprefix '$(BIN)'/,$(PROGRAMS)) '$(DESTDIR)$(PREFIX)/bin'
	install -m 644 scripts/completion/_ua '$(ZSHCOMP)'
	set -e; for p in $(PROGRAMS); do \
	  install -m 644 scripts/completion/ua.bash '$(BASHCOMP)'/$$p; \
	  install -m 644 scripts/completion/ua.fish '$(FISHCOMP)'/$$p.fish; done
	@set -e; for m in $(MANS); do install -m 644 $$m '$(SHARE)/man/man'$${m##*.}; done

# Runs, settings and caches of the users stay: see FILES in ua(1).
uninstall:
	rm -f $(foreach p,$(PROGRAMS),'$(DESTDIR)$(PREFIX)/bin/$(p)' '$(BASHCOMP)/$(p)' '$(FISHCOMP)/$(p).fish') '$(ZSHCOMP)/_ua'
	@set -e; for m in $(notdir $(MANS)); do rm -f '$(SHARE)/man/man'$${m##*.}/$$m; done

# Tarballs and packages for each system, SHA256SUMS and an SBOM in dist/.
dist:
	scripts/dist

# The packages of this machine's system, installed, run and removed; arm64 under qemu.
test-dist:
	scripts/test-dist

# An OCI image for amd64 and arm64, without a daemon (see CONTAINERS in ua(7)).
image:
	scripts/image

# The image twice, and what holds in it by podman: as root, rootless, without namespaces.
test-image:
	scripts/test-image

# What the sandbox and tries hold on Debian's kernels, in virtual machines, one after the other: an hour.
# KERNELS='A F' boots some; KERNELS=--write puts the table into ua-kernels(7); --planted tests the test.
test-kernels: build
	scripts/test-kernels $(KERNELS)

# Harbor, from PyPI, runs ua on a task in a container of podman (scripts/harness).
test-harness:
	scripts/test-harness

# The manifests of scripts/kubernetes at a real API server, which is built; etcd and kubectl are needed.
test-kubernetes:
	scripts/test-kubernetes

clean:
	rm -rf bin dist skipped-tests
