# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors

SHELL := /bin/bash
.DEFAULT_GOAL := help

# Warnings are errors in our own builds, and in nobody else's (see Package.swift).
export TRACKWAY_WARNINGS_AS_ERRORS := 1

# A target may only import what its manifest declares; SwiftPM checks it when asked.
CHECKED := --explicit-target-dependency-import-check error
EXAMPLES := $(patsubst %/Package.swift,%,$(wildcard Examples/*/Package.swift))

.PHONY: help bootstrap demo test test-sdk apple-simulation apple test-server integration kill-test examples lint format docs sanitize fuzz bench clean

help:  ## List what can be made
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap:  ## Install what is missing on this machine (apt)
	@Scripts/bootstrap

demo: bootstrap  ## Run the collector and a small shop, and show the ledger (DEMO_EXIT=1: ends by itself)
	@Scripts/demo

test: test-sdk apple-simulation test-server integration examples  ## Run every test, and build every example

test-sdk: bootstrap  ## Test the SDK
	swift test $(CHECKED)

# One phone for the process: its tests do not run beside one another.
apple-simulation: bootstrap  ## Run the SDK's code for Apple's systems against simulated frameworks
	swift test --package-path AppleSimulation --no-parallel

# The first time, each system takes a minute or two more: its SDK is made, and kept under .build-apple.
apple: bootstrap  ## Compile for Apple's systems, without Apple's SDK; see Scripts/apple/README.md (SYSTEMS="ios")
	@if [ -x Scripts/apple/check-c ]; then set -x; Scripts/apple/check-c --self-test; Scripts/apple/check-c; fi
	Scripts/apple/check $(SYSTEMS)

test-server: bootstrap  ## Test the collector and the trackway command
	@if [ -f Server/Package.swift ]; then set -x; swift test --package-path Server $(CHECKED); fi

integration: bootstrap  ## Real processes against a real collector: kills, damage, outages
	@if [ -f IntegrationTests/Package.swift ]; then set -ex; \
	    swift build --package-path Server --product trackway; \
	    swift build --package-path AppleSimulation --product phone-story; \
	    swift test --package-path IntegrationTests; fi

kill-test: bootstrap  ## Kill processes with -9 at random moments, TRIALS (300; 60 where each trial kills several) times each way
	swift build --package-path Server --product trackway
	TRACKWAY_KILL_TRIALS=$(or $(TRIALS),300) TRACKWAY_STORY_TRIALS=$(or $(TRIALS),60) \
	    swift test --package-path IntegrationTests --filter KillTests

examples: bootstrap  ## Build every example, and run its tests
	@set -e; for example in $(EXAMPLES); do \
	    action=$$([ -d $$example/Tests ] && echo test || echo build); \
	    echo "swift $$action --package-path $$example"; \
	    swift $$action --package-path $$example; \
	done

lint: bootstrap  ## Check form, rooms, documentation, and that programs without tests compile
	Scripts/format --check
	Scripts/check-rooms --self-test
	Scripts/check-rooms
	Scripts/check-manifests
	Scripts/check-docs
	Scripts/check-programs

format:  ## Format every Swift file in place
	Scripts/format

docs: bootstrap  ## Build the documentation into .build/documentation
	Scripts/check-docs

# Not the tests in which programs crash: a sanitizer takes crashes for itself, and those programs are built with it, too.
sanitize: bootstrap  ## Run the SDK's tests under ThreadSanitizer, then AddressSanitizer
	swift test --sanitize=thread --scratch-path .build/thread --skip CrashCaptureTests
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/leaks.txt swift test --sanitize=address --scratch-path .build/address \
	    --skip CrashCaptureTests --skip CrashTests/realProcess

fuzz: bootstrap  ## Run each fuzz target for FUZZ_SECONDS (60)
	Scripts/fuzz $(or $(FUZZ_SECONDS),60)

bench: bootstrap  ## Measure the SDK and the collector (see Benchmarks/README.md)
	Scripts/bench

clean:  ## Remove every build folder
	rm -rf .build .build-apple .fuzz AppleSimulation/.build Fuzzing/.build Server/.build Benchmarks/.build IntegrationTests/.build $(addsuffix /.build,$(EXAMPLES))
