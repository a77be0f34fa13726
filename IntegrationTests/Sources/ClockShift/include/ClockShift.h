// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CLOCK_SHIFT_H
#define CLOCK_SHIFT_H

/// The environment variable with the path of the file that contains the shift.
///
/// The file has eight bytes: a little-endian signed number of milliseconds that is added to the wall clock. It may change
/// at any time; the next read of the clock uses the new value.
#define CLOCK_SHIFT_VARIABLE "TRACKWAY_CLOCK_SHIFT"

#endif
