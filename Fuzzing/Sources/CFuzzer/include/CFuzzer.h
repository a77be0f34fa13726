// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// libFuzzer's entry point for programs with their own `main`. `-sanitize=fuzzer` links the library.

#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs `test` with inputs until the time limit in the arguments expires or an input crashes it.
///
/// Returns the exit code.
int cfuzzer_run(int argc, char **argv, int (*test)(const uint8_t *bytes, size_t count));

#endif
