// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
typedef enum {
    CLOCK_REALTIME = 0,
    CLOCK_MONOTONIC_RAW = 4,
    CLOCK_MONOTONIC_RAW_APPROX = 5,
    CLOCK_MONOTONIC = 6,
    CLOCK_UPTIME_RAW = 8,
} clockid_t;
int clock_gettime(clockid_t clock, struct timespec *now);
int nanosleep(const struct timespec *time, struct timespec *left);
