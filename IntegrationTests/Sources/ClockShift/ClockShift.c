// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Overrides the C library's wall clock functions. The monotonic clocks are unchanged, as when a person sets the clock.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "ClockShift.h"

#if defined(__linux__)
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void find_shift(void) {
    const char *path = getenv(CLOCK_SHIFT_VARIABLE);
    if (path == NULL) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *address = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (address != MAP_FAILED) shift = address;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (real == NULL) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, time);
    if (code != 0 || shift == NULL) return code;
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return code;
    int64_t milliseconds = *shift;
    time->tv_sec += milliseconds / 1000;
    time->tv_nsec += (milliseconds % 1000) * 1000000;
    if (time->tv_nsec >= 1000000000) {
        time->tv_sec += 1;
        time->tv_nsec -= 1000000000;
    } else if (time->tv_nsec < 0) {
        time->tv_sec -= 1;
        time->tv_nsec += 1000000000;
    }
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return (time_t)-1;
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}
#endif
