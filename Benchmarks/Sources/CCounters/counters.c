// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#define _GNU_SOURCE
#include "CCounters.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static uint64_t allocations;

uint64_t ccounters_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }

#if defined(__GLIBC__)
// The program's definitions take precedence over the library's, so every allocation of the process is counted here.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    return __libc_realloc(old, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    *result = __libc_memalign(alignment, size);
    return *result == NULL ? 12 : 0;
}
#endif

uint64_t ccounters_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t ccounters_processor_nanoseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t seconds = (uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec;
    uint64_t micros = (uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec;
    return seconds * 1000000000 + micros * 1000;
}

int ccounters_open(const char *path) { return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600); }
int ccounters_write(int file, const void *bytes, size_t count) {
    return write(file, bytes, count) == (ssize_t)count ? 0 : -1;
}
void ccounters_close(int file) { close(file); }

void ccounters_read_memory(ccounters_memory *memory) {
    memset(memory, 0, sizeof *memory);
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return;
    char line[256];
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmRSS:", 6) == 0) memory->resident = strtoull(line + 6, NULL, 10);
        if (strncmp(line, "VmHWM:", 6) == 0) memory->peak = strtoull(line + 6, NULL, 10);
        if (strncmp(line, "RssAnon:", 8) == 0) memory->anonymous = strtoull(line + 8, NULL, 10);
    }
    fclose(status);
}
