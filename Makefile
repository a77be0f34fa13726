# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Warnings are errors in this repository's own builds, and in nobody else's (see Package.swift).
export TRACKWAY_WARNINGS_AS_ERRORS := 1

# One test, suite or target of a part: make test-sdk FILTER=RetryScheduleTests
ONLY := $(if $(FILTER),--filter '$(FILTER)')
# A target may only import what its manifest declares.
CHECKED := --explicit-target-dependency-import-check error

.PHONY: help bootstrap demo test test-sdk test-apple test-server test-page test-integration test-examples test-cluster test-all \
	smoke-cluster soak-cluster cluster-demo kill-test apple lint lint-apple lint-checks format docs codes screenshots sanitize fuzz bench clean

help:  ## List the targets
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap:  ## Install what is missing on this machine (apt)
	@Scripts/bootstrap

demo: bootstrap  ## Run the collector and a small shop, and show the ledger (DEMO_EXIT=1: exit at the end)
	@Scripts/demo

##### Tests. FILTER=NAME runs one test, suite or target of a part.

test: bootstrap  ## Run the tests of the SDK, the collector and the examples
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

test-examples: bootstrap  ## Build every example, run its tests, and run the README's quick start
	Scripts/test examples $(if $(FILTER),-- $(ONLY))

test-cluster: bootstrap  ## Test cluster support with real servers of NATS and ClickHouse (installs them)
	Scripts/bootstrap cluster || echo 'test-cluster: without ClickHouse'
	Scripts/build Cluster --build-tests $(CHECKED)
	Scripts/run-tests Cluster --skip-build $(ONLY)
	TRACKWAY_ENGINE_TESTS=1 Scripts/run-tests Cluster --skip-build --no-parallel --filter 'Engine[A-Z][A-Za-z]*Tests|EngineTests'
	Scripts/build Cluster --product trackway-cluster
	Scripts/cluster-test faults test_faults.Faults test_faults.FullDisk

test-all: bootstrap  ## Run every test with full trials and seeds, on one machine and on clusters (hours)
	TRACKWAY_FULL=1 $(MAKE) test kill-test
	Scripts/bootstrap cluster || echo 'test-all: not everything could be installed'
	TRACKWAY_ENGINE_SEEDS=8 $(MAKE) test-cluster
	Scripts/cluster-test simulation
	Scripts/cluster-test faults
	$(MAKE) apple soak-cluster

smoke-cluster: bootstrap  ## Start a cluster, send events, kill a server, and compare everything
	Scripts/bootstrap cluster || echo 'smoke-cluster: without ClickHouse'
	Scripts/build Cluster --product trackway-cluster
	Scripts/cluster-test faults test_smoke

soak-cluster: bootstrap  ## Kill and pause parts of a cluster for MINUTES (20) at times that SEED decides, and compare everything
	Scripts/bootstrap cluster || echo 'soak-cluster: not everything could be installed'
	Scripts/build Cluster --product trackway-cluster
	Scripts/cluster-test soak --minutes $(or $(MINUTES),20) $(if $(SEED),--seed $(SEED))

cluster-demo:  ## Run a cluster and the shop, kill parts of it, and show the ledger (CLUSTER_DEMO_EXIT=1: exit at the end)
	@Scripts/cluster-demo

kill-test: bootstrap  ## Kill processes with -9 at random times, TRIALS (300; 60 where a trial kills several) per mode
	Scripts/build Server --product trackway
	Scripts/build IntegrationTests --build-tests
	TRACKWAY_SILENCE=60 TRACKWAY_KILL_TRIALS=$(or $(TRIALS),300) TRACKWAY_STORY_TRIALS=$(or $(TRIALS),60) \
	    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 Scripts/run-tests IntegrationTests --skip-build --filter KillTests

##### Checks

# The first time, each system takes a minute or two more: its SDK is made, and kept under .build-apple.
apple: bootstrap  ## Compile for Apple platforms, without Apple's SDK; see Scripts/apple/README.md (SYSTEMS="ios")
	Scripts/apple/check-c --self-test
	Scripts/apple/check-c
	Scripts/apple/check $(SYSTEMS)

lint: bootstrap  ## Check format, module rules, manifests, workflows, deployment files and documentation, and compile what no test compiles
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint-apple lint-checks

# One processor compiles for iOS, which takes as long as the other checks.
lint-apple:
	@$(MAKE) apple SYSTEMS=ios

lint-checks:
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
	Scripts/generate-codes --self-test
	Scripts/generate-codes --check
	Scripts/check-names --self-test
	Scripts/check-names
	Scripts/check-programs
	Scripts/build AppleSimulation
	Scripts/check-snippets --self-test
	Scripts/check-snippets

format:  ## Format every Swift file in place
	Scripts/format

docs: bootstrap  ## Build the documentation into .build/documentation
	Scripts/check-docs

codes:  ## Write Documentation/Diagnostics.md from the definitions of the codes
	Scripts/generate-codes

screenshots: bootstrap  ## Take the pictures of the page in Documentation/Images
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
	rm -rf .build .build-apple .build-nats .build-page .fuzz AppleSimulation/.build Fuzzing/.build Benchmarks/.build
