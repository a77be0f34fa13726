// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CCOUNTERS_H
#define CCOUNTERS_H

#include <stddef.h>
#include <stdint.h>

/// Calls to malloc, calloc, realloc and aligned allocation made by this process so far.
uint64_t ccounters_allocations(void);
/// Nanoseconds on a clock that only goes forward.
uint64_t ccounters_nanoseconds(void);
/// Nanoseconds of processor time this process has used, user and system, all threads.
uint64_t ccounters_processor_nanoseconds(void);

/// What the kernel says about this process's memory, in KiB.
typedef struct ccounters_memory {
    uint64_t resident, peak, anonymous;
} ccounters_memory;
void ccounters_read_memory(ccounters_memory *memory);

/// How often this process's threads went to sleep by themselves, summed over the threads there are (Linux). Each thread
/// is told of, with its number and name; the text is valid during the call only.
uint64_t ccounters_list_wakes(void *context, void (*each)(void *context, const char *thread, uint64_t wakes));

/// What the kernel says this process has written, in bytes: to anything by calls, and to a disk.
typedef struct ccounters_io {
    uint64_t written_by_calls, written_to_disk;
} ccounters_io;
ccounters_io ccounters_read_io(void);

/// Opens a file for appending; -1 on error.
int ccounters_open(const char *path);
/// Appends with write(2); 0 when everything was written.
int ccounters_write(int file, const void *bytes, size_t count);
void ccounters_close(int file);

/// Serves HTTP on a loopback port, one thread per connection, answering every POST as a collector that took everything.
/// Does not return unless the port cannot be had.
int ccounters_sink(uint16_t port);
/// When the first POST had come as a whole to a sink of this process, by ccounters_nanoseconds(); 0 while none has.
uint64_t ccounters_first_post(void);
/// Listens on a loopback port, lets connections come, and never answers. Does not return unless the port cannot be had.
int ccounters_silence(uint16_t port);
#endif
