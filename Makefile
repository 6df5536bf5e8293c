# `make run` serves the API; `make test` proves it. Both do all the set-up that they need.

GO       ?= go
STRATAGEM = bin/stratagem
PLUGINS   = core crontabs deployments pods
BUNDLE    = server/bundle/files
MODULES   = $(PLUGINS:%=$(BUNDLE)/%.wasm)
SDK       = $(BUNDLE)/sdk.zip
DATA_DIR ?= stratagem-data
LISTEN   ?= 127.0.0.1:6443

GO_MODULES  = $(dir $(shell git ls-files '*go.mod' ':!:**/testdata/**'))
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Kubernetes' deprecated fields are what old clients send: SA1019 would have us ignore them.
CHECKS      = inherit,-SA1019

# Each module stands by itself; go.work is for editors.
export GOWORK = off

.PHONY: build run test race bench check plugins examples format tidy lint clone fmt clean

# Go's compiler is guided by default.pgo, a processor profile of a server under creates, updates, patches, applies, reads, lists and
# watches, from /debug/pprof/profile?seconds=70. It may be older than the code.
build: $(MODULES) $(SDK) ## bin/stratagem, with the bundled plugins and the SDK's sources embedded
	$(GO) build -trimpath -o $(STRATAGEM) .

run: build ## serve on embedded etcd, and say how to point kubectl at it
	@echo; echo "  In another terminal:  export KUBECONFIG=$(CURDIR)/$(DATA_DIR)/kubeconfig"; echo "                        kubectl api-resources"; echo
	$(STRATAGEM) serve --listen $(LISTEN) --data-dir $(DATA_DIR) --write-kubeconfig $(DATA_DIR)/kubeconfig

plugins: $(MODULES)

# The tool that builds plugins is the command itself, without any plugin in it.
SDK_SOURCES = $(shell find sdk plugins -name '*.go' -o -name schema.json)
$(BUNDLE)/%.wasm: $(SDK_SOURCES)
	$(GO) run . plugin build plugins/$* -o $@

# What `plugin init` writes into a project, so that it builds without a network.
$(SDK): $(shell find sdk server/bundle/pack -type f)
	$(GO) run ./server/bundle/pack sdk $@

test: build ## every module's tests; those in server/e2e run the server, kubectl and client-go
	@set -e; for m in $(GO_MODULES); do echo "test $$m"; (cd $$m && $(GO) test -timeout 20m ./...); done

examples: build ## plugins in other languages, built and proven; what they take is in examples/greetings
	$(MAKE) -C examples/greetings

race: build ## what is shared, under the race detector
	$(GO) test -race -timeout 20m ./engine/... ./host/...

check: format tidy clone lint test examples race ## all that CI runs

format:
	@files=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$files" || { echo "not formatted:" $$files; exit 1; }

tidy:
	@set -e; for m in $(GO_MODULES); do echo "tidy $$m"; (cd $$m && $(GO) mod tidy -diff); done

clone: ## a fresh clone builds before any plugin does
	@dir=$$(mktemp -d) && trap "rm -rf $$dir" EXIT && git clone -q . $$dir && cd $$dir && $(GO) build ./...

lint:
	@set -e; for m in $(GO_MODULES); do echo "lint $$m"; (cd $$m && $(GO) vet ./... && $(GO) run $(STATICCHECK) -checks $(CHECKS) ./...); done

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./engine/... ./host/... ./server/...
	cd host/abitest && $(GO) test -run '^$$' -bench . -benchmem .

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin $(MODULES) $(SDK)
