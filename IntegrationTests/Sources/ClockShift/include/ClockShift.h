// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CLOCK_SHIFT_H
#define CLOCK_SHIFT_H

/// The environment variable that names the file the shift is read from: eight bytes, a little-endian signed number of
/// milliseconds that is added to the wall clock. The file may change at any time; the next look at the clock sees it.
#define CLOCK_SHIFT_VARIABLE "TRACKWAY_CLOCK_SHIFT"

#endif
