// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// arm64_32-apple-watchos9.0: cast to smaller integer type
#include <stdint.h>
uint16_t planted(const void *pointer) { return (uint16_t)pointer; }
