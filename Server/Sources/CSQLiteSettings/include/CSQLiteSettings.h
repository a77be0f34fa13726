// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Process-wide settings of SQLite. SQLite sets them with a variadic function, which Swift cannot call.

#ifndef CSQLITE_SETTINGS_H
#define CSQLITE_SETTINGS_H

// Turns off SQLite's memory statistics, which cost a lock and a look at the block's size for every allocation and
// release. The collector does not read the statistics, and the limits of page caches do not need them.
//
// Takes effect only before SQLite is first used in the process; later it changes nothing. Must not run concurrently
// with another first use. Returns 0 if it took effect, or else SQLite's error code.
int csqlite_settings_leave_memory_uncounted(void);

#endif
