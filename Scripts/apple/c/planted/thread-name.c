// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// arm64-apple-macos13.0: too many arguments
#include <pthread.h>
int planted(void) { return pthread_setname_np(pthread_self(), "name"); }
