// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// libFuzzer's entry for programs that bring their own `main`. The library itself comes with `-sanitize=fuzzer`.

#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Feeds inputs to `test` until the time given in the arguments is over or an input makes it crash. Returns the
/// program's exit code.
int cfuzzer_run(int argc, char **argv, int (*test)(const uint8_t *bytes, size_t count));

#endif
