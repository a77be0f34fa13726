# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Makes warnings errors in this repository's own builds, never in users' builds (see Package.swift).
export TRACKWAY_WARNINGS_AS_ERRORS := 1

# Selects one test, suite or test target: make test-sdk FILTER=RetryScheduleTests
ONLY := $(if $(FILTER),--filter '$(FILTER)')
# A target may import only the modules that its manifest declares.
CHECKED := --explicit-target-dependency-import-check error

.PHONY: help bootstrap demo test test-sdk test-apple test-server test-page test-integration test-answers test-examples test-cluster test-all \
	smoke-cluster soak-cluster cluster-demo kill-test apple lint lint-apple lint-checks format docs codes size screenshots sanitize fuzz bench clean

help:  ## List the targets
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap:  ## Install missing system packages (apt)
	@Scripts/bootstrap

demo: bootstrap  ## Run the collector and a sample shop, and show the ledger (DEMO_EXIT=1: exit at the end)
	@Scripts/demo

##### Tests. FILTER=NAME selects one test, suite or test target.

test: bootstrap  ## Run the tests of the SDK, the collector, its web page and the examples
	Scripts/test

test-sdk: bootstrap  ## Test the SDK
	Scripts/test sdk $(if $(FILTER),-- $(ONLY))

test-apple: bootstrap  ## Test the SDK's code for Apple platforms against simulated frameworks
	Scripts/test apple $(if $(FILTER),-- $(ONLY))

test-server: bootstrap  ## Test the collector and the trackway command
	Scripts/test server $(if $(FILTER),-- $(ONLY))

test-page: bootstrap  ## Test the collector's web page in headless Chromium (installs it)
	Scripts/test page $(if $(FILTER),-- $(FILTER))

test-integration: bootstrap  ## Test real processes against a real collector: kills, damage, outages
	Scripts/test integration $(if $(FILTER),-- $(ONLY))

test-answers: bootstrap  ## Compare QUESTIONS (500) random answers of the collector with DuckDB (installs it), from SEED (1)
	Scripts/build Server --product trackway
	Scripts/compare-with-duckdb --questions $(or $(QUESTIONS),500) --seed $(or $(SEED),1)

test-examples: bootstrap  ## Build every example, run its tests, and run the README's quick start
	Scripts/test examples $(if $(FILTER),-- $(ONLY))

test-cluster: bootstrap  ## Test cluster support with real NATS and ClickHouse servers (installs them)
	Scripts/bootstrap cluster || echo 'test-cluster: continuing without ClickHouse'
	Scripts/build Cluster --build-tests $(CHECKED)
	Scripts/run-tests Cluster --skip-build $(ONLY)
	TRACKWAY_ENGINE_TESTS=1 Scripts/run-tests Cluster --skip-build --no-parallel --filter 'Engine[A-Z][A-Za-z]*Tests|EngineTests'
	Scripts/build Cluster --product trackway-cluster
	Scripts/cluster-test faults test_faults.Faults test_faults.FullDisk

test-all: bootstrap  ## Run every test with all trials and seeds, on one machine and on clusters (takes hours)
	TRACKWAY_FULL=1 $(MAKE) test kill-test
	Scripts/bootstrap cluster || echo 'test-all: continuing without packages that could not be installed'
	TRACKWAY_ENGINE_SEEDS=8 $(MAKE) test-cluster
	Scripts/cluster-test simulation
	Scripts/cluster-test faults
	$(MAKE) apple soak-cluster

smoke-cluster: bootstrap  ## Start a cluster, send events, kill parts of it, and compare all stores
	Scripts/bootstrap cluster || echo 'smoke-cluster: continuing without ClickHouse'
	Scripts/build Cluster --product trackway-cluster
	Scripts/cluster-test faults test_smoke

soak-cluster: bootstrap  ## Kill and pause parts of a cluster for MINUTES (20) at times derived from SEED, and compare all stores
	Scripts/bootstrap cluster || echo 'soak-cluster: continuing without packages that could not be installed'
	Scripts/build Cluster --product trackway-cluster
	Scripts/cluster-test soak --minutes $(or $(MINUTES),20) $(if $(SEED),--seed $(SEED))

cluster-demo:  ## Run a cluster and the sample shop, kill parts of the cluster, and show the ledger (CLUSTER_DEMO_EXIT=1: exit at the end)
	@Scripts/cluster-demo

kill-test: bootstrap  ## Kill processes (kill -9) at random times, TRIALS per mode (300; 60 if a trial kills several)
	Scripts/build Server --product trackway
	Scripts/build IntegrationTests --build-tests
	TRACKWAY_SILENCE=60 TRACKWAY_KILL_TRIALS=$(or $(TRIALS),300) TRACKWAY_SCENARIO_TRIALS=$(or $(TRIALS),60) \
	    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 Scripts/run-tests IntegrationTests --skip-build --filter KillTests

##### Checks

# The first run takes a minute or two longer per system, because it generates the system's SDK under .build-apple.
apple: bootstrap  ## Compile for Apple platforms, without Apple's SDK; see Scripts/apple/README.md (SYSTEMS="ios")
	Scripts/apple/check-c --self-test
	Scripts/apple/check-c
	Scripts/apple/check $(SYSTEMS)

lint: bootstrap  ## Check format, module rules, manifests, workflows, deployment files and documentation, and compile code that no test compiles
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint-apple lint-checks

# Compiling for iOS keeps one processor busy for about as long as all other checks together, so both run in parallel.
lint-apple:
	@$(MAKE) apple SYSTEMS=ios

lint-checks:
	Scripts/format --check
	Scripts/check-modules --self-test
	Scripts/check-modules
	Scripts/check-manifests --self-test
	Scripts/check-manifests
	Scripts/check-workflows --self-test
	Scripts/check-workflows
	Scripts/check-deployment --self-test
	Scripts/check-deployment
	Scripts/check-words --self-test
	Scripts/check-words
	Scripts/check-docs
	Scripts/generate-codes --self-test
	Scripts/generate-codes --check
	Scripts/generate-data-map --self-test
	Scripts/generate-data-map --check
	Scripts/check-names --self-test
	Scripts/check-names
	Scripts/check-size --self-test
	Scripts/check-programs
	Scripts/build AppleSimulation
	Scripts/check-snippets --self-test
	Scripts/check-snippets

format:  ## Format every Swift file in place
	Scripts/format

docs: bootstrap  ## Build the documentation into .build/documentation
	Scripts/check-docs

codes:  ## Generate Documentation/Diagnostics.md from the definitions of the codes
	Scripts/generate-codes

size: bootstrap  ## Check the size of an app that links the SDK, and the time of its release build
	Scripts/check-size

screenshots: bootstrap  ## Take the screenshots of the web page in Documentation/Images
	Scripts/build Server --product trackway
	Scripts/screenshots

sanitize: bootstrap  ## Run the SDK's tests under ThreadSanitizer, then AddressSanitizer
	Scripts/sanitize thread
	Scripts/sanitize address

fuzz: bootstrap  ## Run each fuzz target for FUZZ_SECONDS (60)
	Scripts/fuzz $(or $(FUZZ_SECONDS),60)

bench: bootstrap  ## Measure the SDK and the collector (see Benchmarks/README.md)
	Scripts/bench

clean:  ## Remove every build folder
	rm -rf .build .build-apple .build-nats .build-duckdb .build-page .fuzz AppleSimulation/.build Fuzzing/.build Benchmarks/.build
