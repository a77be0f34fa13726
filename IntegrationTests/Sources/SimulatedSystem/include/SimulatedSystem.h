// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef SIMULATED_SYSTEM_H
#define SIMULATED_SYSTEM_H

/// The environment variable with a folder of files that replace the system's files of the same paths.
///
/// Only files about the machine are replaced, such as `/sys/class/power_supply/BAT0/type` and `/etc/machine-id`. Devices
/// that the folder does not contain do not exist.
#define SIMULATED_SYSTEM_ROOT "TRACKWAY_SIMULATED_ROOT"

/// The environment variable with the only port of 127.0.0.1 that the process may connect to.
#define SIMULATED_SYSTEM_PORT "TRACKWAY_ONLY_PORT"

/// The environment variable with the file that lists refused connections and datagrams, one line each.
#define SIMULATED_SYSTEM_REFUSED "TRACKWAY_REFUSED"

#endif
