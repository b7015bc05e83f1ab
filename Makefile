# ua: build, test, measure and install. Needs Go, make and git.
PREFIX  = /usr/local
DESTDIR =
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS = -s -w -X ua/internal/common/prog.version=$(VERSION)
BIN     = $(CURDIR)/bin
MANS    = $(wildcard man/*.[157])

BUILD   = CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/
CORE    = ua ua-think ua-gate ua-exec ua-sandbox ua-journal ua-shell

.PHONY: all build demo test lint bench fuzz install clean
all: build

build:
	@mkdir -p bin
	$(BUILD) ./cmd/...

# The demo does without SQLite, which takes longer to build than all the rest.
demo:
	@mkdir -p bin
	$(BUILD) $(addprefix ./cmd/,$(CORE))
	@scripts/demo

# What a run did not test is listed at its end.
SKIPS = $(BIN)/skipped-tests
test: lint
	@rm -f '$(SKIPS)'
	UA_TEST_BIN='$(BIN)' UA_TEST_SKIPS='$(SKIPS)' go test -count=1 -timeout 10m ./...
	UA_TEST_SKIPS='$(SKIPS)' scripts/test-race
	@if [ -s '$(SKIPS)' ]; then echo 'Not tested here:'; sort -u '$(SKIPS)'; fi

lint: build
	@scripts/setup-test
	test -z "$$(gofmt -l cmd internal man scripts)"
	go vet ./...
	go tool staticcheck ./...
	shellcheck $$(scripts/shell-files)
	mandoc -T lint -W warning $(MANS)
	-scripts/lint-house

bench: build
	UA_TEST_BIN='$(BIN)' scripts/bench

# Each fuzz target for FUZZTIME.
FUZZTIME = 20s
fuzz:
	@for f in $$(grep -rlE '^func Fuzz' --include='*_test.go' cmd internal); do \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$f); do \
	    echo "$$f $$t"; go test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f) || exit; done; done

install: build
	install -d '$(DESTDIR)$(PREFIX)/bin' $(foreach n,1 5 7,'$(DESTDIR)$(PREFIX)/share/man/man$(n)')
	install -m 755 bin/* '$(DESTDIR)$(PREFIX)/bin'
	install -d $(foreach d,bash-completion/completions zsh/site-functions fish/vendor_completions.d,'$(DESTDIR)$(PREFIX)/share/$(d)')
	install -m 644 scripts/completion/_ua '$(DESTDIR)$(PREFIX)/share/zsh/site-functions'
	set -e; for p in $(notdir $(wildcard bin/*)); do \
	  install -m 644 scripts/completion/ua.bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions'/$$p; \
	  install -m 644 scripts/completion/ua.fish '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d'/$$p.fish; done
	@set -e; for m in $(MANS); do install -m 644 $$m '$(DESTDIR)$(PREFIX)/share/man/man'$${m##*.}; done

clean:
	rm -rf bin
