// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The monotonic clock, for files of this module that cannot call the usual functions: a signal handler.

#ifndef CTRACKWAY_CLOCK_H
#define CTRACKWAY_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__APPLE__)
// On Apple systems, CLOCK_MONOTONIC is the wall time minus the start time, so it goes back when the wall clock is set
// back. The raw clock counts elapsed time, including sleep.
#define CTRACKWAY_MONOTONIC CLOCK_MONOTONIC_RAW
/// The offset added to that clock before any other code reads it.
///
/// It keeps the time since the system's start on the device; see ctrackway_disguise_boot. 0 before the clock was read
/// for the first time.
extern int64_t ctrackway_monotonic_shift_milliseconds;
#else
#define CTRACKWAY_MONOTONIC CLOCK_BOOTTIME
#endif
#endif
