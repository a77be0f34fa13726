// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The clock that never goes back, for files of this room that cannot call what the others call: a signal's handler.

#ifndef CTRACKWAY_CLOCK_H
#define CTRACKWAY_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__APPLE__)
// CLOCK_MONOTONIC there is the wall's time less that of the start: it goes back when the wall's is set. The raw clock counts
// what passes, time asleep included.
#define CTRACKWAY_MONOTONIC CLOCK_MONOTONIC_RAW
/// What is added to that clock before anybody sees it, so that the time since the system's start stays on the device; see
/// ctrackway_disguise_boot. 0 before the clock was read for the first time.
extern int64_t ctrackway_monotonic_shift_milliseconds;
#else
#define CTRACKWAY_MONOTONIC CLOCK_BOOTTIME
#endif
#endif
