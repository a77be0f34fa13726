// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void free(void *memory);
int atexit(void (*body)(void));
void arc4random_buf(void *to, size_t count);
char *getenv(const char *name);
const char *getprogname(void);
