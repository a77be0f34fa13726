// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The internal interface between the parts of crash capture. Functions marked "Handler" run inside the signal handler:
// they do not allocate memory, take no lock, and call only what POSIX allows there.

#ifndef CTRACKWAY_CRASH_PARTS_H
#define CTRACKWAY_CRASH_PARTS_H

#include "CTrackwayCrash.h"

#include <signal.h>
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

#if defined(__APPLE__) && TARGET_OS_WATCH
// On watchOS, a process that handles fault signals is terminated.
#define CRASHES_ARE_CAPTURED 0
#else
#define CRASHES_ARE_CAPTURED 1
#endif

#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)
// No signal stacks: a stack overflow leaves no report on these systems.
#define HANDLERS_HAVE_STACKS 0
#else
#define HANDLERS_HAVE_STACKS 1
#endif

#if CRASHES_ARE_CAPTURED
#pragma GCC visibility push(hidden)

// MARK: The report (crash_report.c)

/// Opens the pipe for reading memory that may be invalid.
///
/// Returns -1 if that fails.
int crash_report_prepare(void);
/// Adds a file for reports, and keeps its existing content.
///
/// Returns its slot, or -1 with EMFILE. Calls must not overlap.
int crash_report_add(int file);
/// Removes a file.
void crash_report_remove(int place);
/// Whether any file is set for reports.
bool crash_report_is_wanted(void);
/// Returns the file in a slot, or -1 if it is empty.
int crash_report_file(int place);
/// Keeps the file's current content when a report is discarded.
void crash_report_settle(int place);
/// Writes as many of the bytes as there is space for. Handler.
void crash_report_write_all(int file, const char *bytes, size_t count);
/// Writes the report. Handler.
void crash_report_write(int number, const char *name, const siginfo_t *information, void *machine);
/// Discards the report, because nothing crashed. Handler.
void crash_report_forget(void);
/// Returns the number of the calling thread. Handler.
uint64_t crash_thread_number(void);

// Write a line, or a part of one, to every file. Handler.
void crash_emit(const char *bytes, size_t count);
void crash_emit_number(const char *key, uint64_t value, unsigned base);
/// Writes a text at an address that may be invalid. Handler.
///
/// Line ends become spaces. Writes at most 2 KiB, and nothing if the text is empty.
bool crash_emit_text(const char *key, uint64_t address);
/// Copies memory that may be invalid. Handler.
bool crash_read_memory(void *context, uint64_t address, void *to, size_t count);

size_t crash_put_text(char *line, size_t at, const char *text);
size_t crash_put_number(char *line, size_t at, uint64_t value, unsigned base);

// MARK: Images (crash_images.c)

/// Registers the loaded images for the handler.
///
/// Also writes them to the file of a slot. On Apple systems, this continues after the function returned. Called while
/// holding the lock of `crash_lock`.
void crash_images_begin(int place);
/// Returns the kind of code at an address. Handler.
ctrackway_code_kind crash_images_code(void *context, uint64_t address);
/// Finds the function at an address. Handler.
bool crash_images_function(void *context, uint64_t address, uint64_t *first, uint64_t *last);
/// Marks the image of an address in the report.
///
/// Handler. Marked images are written, too.
void crash_images_use(uint64_t address);
/// Resets the marks of all images. Handler.
void crash_images_use_none(void);
/// Writes the executable and the marked images.
///
/// Handler. Images that are already in a file are left out.
void crash_images_emit(void);
/// Writes the messages of images about the end of the process. Handler.
void crash_images_emit_messages(void);

// MARK: Capture (crash.c)

/// Serializes starting and stopping capture.
///
/// Not for handlers.
void crash_lock(void);
void crash_unlock(void);

#pragma GCC visibility pop
#endif
#endif
