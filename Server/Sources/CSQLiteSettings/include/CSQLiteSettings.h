// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// What SQLite can be told for the whole process, through a function with any number of arguments, which Swift does not call.

#ifndef CSQLITE_SETTINGS_H
#define CSQLITE_SETTINGS_H

// Has SQLite keep no account of the memory it takes: a lock and a look at the block's size for every allocation and every release.
// Nobody here reads that account, and the limits of page caches do not need it.
//
// Takes effect only before SQLite is first used in the process; later it changes nothing. Must not run beside another first use.
// Returns 0 when it took effect, otherwise SQLite's code.
int csqlite_settings_leave_memory_uncounted(void);

#endif
