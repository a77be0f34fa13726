// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// arm64-apple-ios16.0: call to undeclared function 'pipe2'
#include <fcntl.h>
#include <unistd.h>
int planted(int *ends) { return pipe2(ends, O_CLOEXEC); }
