// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// arm64-apple-watchos9.0: 'sigaltstack' is unavailable
#include <signal.h>
int planted(void) { return sigaltstack(0, 0); }
