// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stddef.h>
#include <stdint.h>

/// Returns the number of calls to malloc, calloc, realloc and aligned allocation in this process so far.
uint64_t ccounters_allocations(void);
/// Returns nanoseconds of a monotonic clock.
uint64_t ccounters_nanoseconds(void);
/// Returns the user and system processor time of all threads of this process, in nanoseconds.
uint64_t ccounters_processor_nanoseconds(void);

/// The kernel's memory statistics of this process, in KiB.
typedef struct ccounters_memory {
    uint64_t resident, peak, anonymous;
} ccounters_memory;
void ccounters_read_memory(ccounters_memory *memory);

/// Returns the number of voluntary context switches, summed over the current threads of this process (Linux).
///
/// Calls `each` with the id and name of every thread; the string is valid only during the call.
uint64_t ccounters_list_wakes(void *context, void (*each)(void *context, const char *thread, uint64_t wakes));

/// The kernel's statistics of the bytes this process has written: with system calls to any descriptor, and to a disk.
typedef struct ccounters_io {
    uint64_t written_by_calls, written_to_disk;
} ccounters_io;
ccounters_io ccounters_read_io(void);

/// Opens a file for appending.
///
/// Returns -1 on error.
int ccounters_open(const char *path);
/// Appends with write(2).
///
/// Returns 0 if everything was written.
int ccounters_write(int file, const void *bytes, size_t count);
void ccounters_close(int file);

/// Serves HTTP on a loopback port and responds to every POST like a collector that accepted everything.
///
/// Uses one thread per connection. Returns only if the port is not available.
int ccounters_run_sink(uint16_t port);
/// Returns the ccounters_nanoseconds() time of the first complete POST to a sink of this process; 0 before that.
uint64_t ccounters_first_post(void);
/// Listens on a loopback port, lets clients connect, and never responds.
///
/// Returns only if the port is not available.
int ccounters_run_unresponsive_server(uint16_t port);
#endif
