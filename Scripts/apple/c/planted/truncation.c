// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// arm64_32-apple-watchos9.0: implicit conversion loses integer precision
#include <stddef.h>
#include <stdint.h>
size_t planted(uint64_t count) { return count; }
