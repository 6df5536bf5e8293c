# `make run` serves the API; `make test` proves it. Both do all the set-up that they need.

GO       ?= go
STRATAGEM = bin/stratagem
PLUGINS   = crontabs deployments pods
BUNDLE    = server/bundle/files
MODULES   = $(PLUGINS:%=$(BUNDLE)/%.wasm)
DATA_DIR ?= stratagem-data
LISTEN   ?= 127.0.0.1:6443

.PHONY: build run test bench check plugins fmt clean

build: $(MODULES) ## bin/stratagem, with the bundled plugins embedded
	$(GO) build -trimpath -o $(STRATAGEM) .

run: build ## serve on embedded etcd, and say how to point kubectl at it
	@echo; echo "  In another terminal:  export KUBECONFIG=$(CURDIR)/$(DATA_DIR)/kubeconfig"; echo "                        kubectl api-resources"; echo
	$(STRATAGEM) serve --listen $(LISTEN) --data-dir $(DATA_DIR) --write-kubeconfig $(DATA_DIR)/kubeconfig

plugins: $(MODULES)

# The tool that builds plugins is the command itself, without any plugin in it.
SDK_SOURCES = $(shell find sdk plugins -name '*.go' -o -name schema.json)
$(BUNDLE)/%.wasm: $(SDK_SOURCES)
	$(GO) run . plugin build plugins/$* -o $@

test: build
	$(GO) test ./...
	cd sdk && $(GO) test ./...
	cd plugins && $(GO) test ./...

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./engine/... ./host/... ./server/...

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin $(MODULES)
