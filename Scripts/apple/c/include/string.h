// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
void *memcpy(void *to, const void *from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int byte, size_t count);
int memcmp(const void *one, const void *other, size_t count);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
int strcmp(const char *one, const char *other);
int strncmp(const char *one, const char *other, size_t most);
char *strncpy(char *to, const char *from, size_t count);
size_t strlcpy(char *to, const char *from, size_t capacity);
char *strrchr(const char *text, int character);
