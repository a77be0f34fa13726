# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Warnings are errors in our own builds, and in nobody else's (see Package.swift).
export TRACKWAY_WARNINGS_AS_ERRORS := 1

# A target may only import what its manifest declares; SwiftPM checks it when asked.
CHECKED := --explicit-target-dependency-import-check error
# Every one of these tests starts processes and lets them fight for processor, memory and disk. All at once they would measure the
# machine; the tests that want a loaded machine bring their own load.
FEW_AT_ONCE := SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
# The examples are built in one folder: the SDK is compiled once for all of them. Only one of them has tests; of two, `swift test` of each
# would run the other's, too.
ONCE := --scratch-path .build-apps
EXAMPLES := $(patsubst %/Package.swift,%,$(wildcard Examples/*/Package.swift))

.PHONY: help bootstrap demo test test-sdk apple-simulation apple test-server engine-test cluster-demo cluster-test page-test integration kill-test examples lint format docs sanitize fuzz bench clean

help:  ## List what can be made
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap:  ## Install what is missing on this machine (apt)
	@Scripts/bootstrap

demo: bootstrap  ## Run the collector and a small shop, and show the ledger (DEMO_EXIT=1: ends by itself)
	@Scripts/demo

cluster-demo:  ## Run a whole cluster and the shop, kill parts of it, and show the ledger (CLUSTER_DEMO_EXIT=1: ends by itself)
	@Scripts/cluster-demo

test: test-sdk apple-simulation test-server engine-test page-test integration examples  ## Run every test, and build every example

test-sdk: bootstrap  ## Test the SDK
	Scripts/run-tests $(CHECKED)

# One phone for the process: its tests do not run beside one another.
apple-simulation: bootstrap  ## Run the SDK's code for Apple's systems against simulated frameworks
	Scripts/run-tests --package-path AppleSimulation --no-parallel

# The first time, each system takes a minute or two more: its SDK is made, and kept under .build-apple.
apple: bootstrap  ## Compile for Apple's systems, without Apple's SDK; see Scripts/apple/README.md (SYSTEMS="ios")
	@if [ -x Scripts/apple/check-c ]; then set -x; Scripts/apple/check-c --self-test; Scripts/apple/check-c; fi
	Scripts/apple/check $(SYSTEMS)

test-server: bootstrap  ## Test the collector and the trackway command
	@if [ -f Server/Package.swift ]; then set -x; Scripts/run-tests --package-path Server $(CHECKED); fi

engine-test: bootstrap  ## Real servers of NATS and ClickHouse, collectors and forwarders: kills, lost proof (installs them; see CONTRIBUTING.md)
	Scripts/bootstrap cluster || echo 'engine-test: without ClickHouse'
	TRACKWAY_ENGINE_TESTS=1 Scripts/run-tests --package-path Server $(CHECKED) --no-parallel --filter 'Engine[A-Z][A-Za-z]*Tests|EngineTests'
	swift build --package-path Server --product trackway
	Scripts/cluster-test faults test_faults.Faults

cluster-test: bootstrap  ## A simulation of 64 streams, every fault of a cluster, then MINUTES (20) of kills and pauses at moments of SEED, and a check of everything
	Scripts/bootstrap cluster || echo 'cluster-test: not everything could be installed'
	swift build --package-path Server --product trackway
	TRACKWAY_ENGINE_TESTS=1 TRACKWAY_ENGINE_SEEDS=8 Scripts/run-tests --package-path Server $(CHECKED) --no-parallel --filter 'CollectorColumnsTests.Engine'
	Scripts/cluster-test simulation
	Scripts/cluster-test faults
	Scripts/cluster-test soak --minutes $(or $(MINUTES),20) $(if $(SEED),--seed $(SEED))

page-test: bootstrap  ## Look at the collector's page in headless Chromium (installs it; see Scripts/page-test)
	swift build --package-path Server --product trackway
	Scripts/page-test

integration: bootstrap  ## Real processes against a real collector: kills, damage, outages
	@if [ -f IntegrationTests/Package.swift ]; then set -ex; \
	    swift build --package-path Server --product trackway; \
	    swift build --package-path AppleSimulation --product phone-story; \
	    $(FEW_AT_ONCE) Scripts/run-tests --package-path IntegrationTests; fi

kill-test: bootstrap  ## Kill processes with -9 at random moments, TRIALS (300; 60 where each trial kills several) times each way
	swift build --package-path Server --product trackway
	TRACKWAY_SILENCE=60 TRACKWAY_KILL_TRIALS=$(or $(TRIALS),300) TRACKWAY_STORY_TRIALS=$(or $(TRIALS),60) \
	    $(FEW_AT_ONCE) Scripts/run-tests --package-path IntegrationTests --filter KillTests

examples: bootstrap  ## Build every example, and run its tests
	@set -e; for example in $(EXAMPLES); do \
	    action=$$([ -d $$example/Tests ] && echo test || echo build); \
	    echo "swift $$action --package-path $$example $(ONCE)"; \
	    if [ $$action = test ]; then Scripts/run-tests --package-path $$example $(ONCE); \
	    else swift build --package-path $$example $(ONCE); fi; \
	done

lint: bootstrap  ## Check form, rooms, manifests, workflows, deployment files, documentation, and that programs without tests compile
	Scripts/format --check
	Scripts/check-rooms --self-test
	Scripts/check-rooms
	Scripts/check-manifests --self-test
	Scripts/check-manifests
	Scripts/check-workflows --self-test
	Scripts/check-workflows
	Scripts/check-deployment --self-test
	Scripts/check-deployment
	Scripts/check-docs
	Scripts/check-programs

format:  ## Format every Swift file in place
	Scripts/format

docs: bootstrap  ## Build the documentation into .build/documentation
	Scripts/check-docs

sanitize: bootstrap  ## Run the SDK's tests under ThreadSanitizer, then AddressSanitizer
	Scripts/sanitize thread
	Scripts/sanitize address

fuzz: bootstrap  ## Run each fuzz target for FUZZ_SECONDS (60)
	Scripts/fuzz $(or $(FUZZ_SECONDS),60)

bench: bootstrap  ## Measure the SDK and the collector (see Benchmarks/README.md)
	Scripts/bench

clean:  ## Remove every build folder
	rm -rf .build .build-apple .build-apps .build-page .fuzz AppleSimulation/.build Fuzzing/.build Server/.build Server/.build-nats Benchmarks/.build IntegrationTests/.build $(addsuffix /.build,$(EXAMPLES))
