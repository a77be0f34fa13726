// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <stdarg.h>
#include <sys/types.h>
#define RENAME_SWAP 0x2
#define RENAME_EXCL 0x4
int snprintf(char *to, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));
int rename(const char *from, const char *to);
int renamex_np(const char *from, const char *to, unsigned int flags);
