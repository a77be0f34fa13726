// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "CFuzzer.h"

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *bytes, size_t count));

int cfuzzer_run(int argc, char **argv, int (*test)(const uint8_t *bytes, size_t count)) {
    return LLVMFuzzerRunDriver(&argc, &argv, test);
}
