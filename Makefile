# The two commands of the README are `make run` and `make test`.
# `make check` is what CI runs. `make help` lists the rest.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := help
.NOTPARALLEL:

export PATH := $(PATH):/usr/local/go/bin
# The version comes from git describe. Go's own stamp needs nothing more, and
# fails in a clone that belongs to another user.
export GOFLAGS := $(strip $(shell go env GOFLAGS 2>/dev/null | sed 's/-buildvcs=[a-z]*//') -buildvcs=false)

PKGS       ?= ./...
TESTFLAGS  ?=
BENCH      ?= .
BENCHTIME  ?= 1s
FUZZTIME   ?= 30s
FUZZ       ?=
VERSION     = $(shell git -c safe.directory='*' describe --tags --always --dirty 2>/dev/null || echo unknown)
GOLANGCI   := .tools/golangci-lint
SOURCES     = $(wildcard api cmd e2e internal tools web *.go)
# Other emulators are compared in a module of their own: tend does not need them.
BENCH_PKGS  = $(shell grep -rl --include='*_test.go' '^func Benchmark' $(SOURCES) | xargs -r -n1 dirname | sort -u | sed 's|^|./|' | grep -v '^./$(BENCH_RIVALS)$$')
BENCH_RIVALS = internal/screen/bench
BENCH_FLAGS  = -run '^$$' -bench '$(BENCH)' -benchtime=$(BENCHTIME) -timeout 40m -p 1

.PHONY: help setup agents agents-soak build run test lint vet generate check-generated check bench soak stress fuzz cross clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 18

setup: ## install what is missing for the tests
	@tools/setup.sh test

# Their own install scripts stay off: the programs are in the packages.
agents: .tools/agents/node_modules/.package-lock.json ## install the real agents for the tests that run them (700 MB)

agents-soak: .tools/agents-soak/node_modules/.package-lock.json ## and those that only the long tests run (470 MB)

.tools/%/node_modules/.package-lock.json: tools/%/package.json tools/%/package-lock.json
	@mkdir -p .tools/$*
	@cp $^ .tools/$*/
	npm ci --prefix .tools/$* --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

build: ## static bin/tend and bin/tend-hold
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/tend ./cmd/tend-hold

run: ## build, then show what tend does: tend demo
	@tools/setup.sh run
	@$(MAKE) --no-print-directory build
	@bin/tend demo

test: setup ## every test under the race detector
	CGO_ENABLED=1 go test -race -timeout 10m $(TESTFLAGS) $(PKGS)

lint: vet $(GOLANGCI) ## gofmt, go vet, golangci-lint
	$(GOLANGCI) run ./...

vet:
	@out=$$(gofmt -s -l $(SOURCES)); [ -z "$$out" ] || { echo "gofmt -s -w these files:"; echo "$$out"; exit 1; }
	go vet ./...
	go vet -tags soak ./...
	go -C tools vet ./benchtable

# Built once; cached until its pinned version changes.
$(GOLANGCI): tools/go.mod tools/go.sum
	@echo "building golangci-lint (once, some minutes)"
	@CGO_ENABLED=0 go -C tools build -trimpath -ldflags '-s -w' -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

generate: ## make the generated files again
	go generate ./...

check-generated: ## fail if a generated file is not what its generator makes
	@tools/check-generated.sh

check: lint check-generated test ## what CI runs

bench: ## the benchmarks, as a table with ratios and goals
	@tools/setup.sh bench
	@mkdir -p .tools
	@{ go test $(BENCH_FLAGS) $(BENCH_PKGS) && go -C $(BENCH_RIVALS) test $(BENCH_FLAGS) .; } | tee .tools/bench.txt | go -C tools run ./benchtable

soak: setup agents-soak ## the long tests too
	go test -tags soak -count=1 -timeout 60m $(TESTFLAGS) $(PKGS)
	@tools/fuzz.sh 60s ''

stress: setup ## five times, in random order, under the race detector
	CGO_ENABLED=1 go test -race -count=5 -shuffle=on -timeout 60m $(TESTFLAGS) $(PKGS)

fuzz: ## every fuzz target for FUZZTIME; FUZZ=Name for one
	@tools/fuzz.sh $(FUZZTIME) '$(FUZZ)'

cross: ## compile for the other platforms
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go build ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go build ./...

clean: ## remove what was built, keep the tools
	rm -rf bin
	rm -f coverage* *.test *.out .tools/bench.txt
