// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// arm64-apple-ios16.0: getentropy
#include <stddef.h>
int getentropy(void *to, size_t count);
int planted(void *to) { return getentropy(to, 8); }
