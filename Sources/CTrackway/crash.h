// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// How the parts of crash capture know each other. What is marked "handler" runs inside the signal handler: it allocates
// nothing, takes no lock, and calls nothing but what POSIX allows there.

#ifndef CTRACKWAY_CRASH_PARTS_H
#define CTRACKWAY_CRASH_PARTS_H

#include "CTrackwayCrash.h"

#include <signal.h>
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

#if defined(__APPLE__) && TARGET_OS_WATCH
// A process there that asks for the signals of faults is ended.
#define CRASHES_ARE_CAPTURED 0
#else
#define CRASHES_ARE_CAPTURED 1
#endif

#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)
// No stacks for handlers: an overflow leaves no report there.
#define HANDLERS_HAVE_STACKS 0
#else
#define HANDLERS_HAVE_STACKS 1
#endif

#if CRASHES_ARE_CAPTURED
#pragma GCC visibility push(hidden)

// MARK: The report (crash_report.c)

/// Opens what doubtful memory is looked at through; -1 when that is impossible.
int crash_report_prepare(void);
/// Sends reports to a file, too, whose content so far stays. Its place, or -1 with EMFILE. Calls must not overlap.
int crash_report_add(int file);
/// Ends it.
void crash_report_remove(int place);
/// Whether reports go anywhere.
bool crash_report_is_wanted(void);
/// The file at a place; -1 when there is none.
int crash_report_file(int place);
/// What is in the file now stays when a report is taken back.
void crash_report_settle(int place);
/// Writes all bytes, as far as there is room. Handler.
void crash_report_write_all(int file, const char *bytes, size_t count);
/// Writes the report. Handler.
void crash_report_write(int number, const char *name, const siginfo_t *information, void *machine);
/// Takes the report back: nothing crashed. Handler.
void crash_report_forget(void);
/// A number of the calling thread. Handler.
uint64_t crash_thread_number(void);

// One line or a part of it, into every file. Handler.
void crash_emit(const char *bytes, size_t count);
void crash_emit_number(const char *key, uint64_t value, unsigned base);
/// A text that may not be readable, with spaces for line ends: at most 2 KiB. Nothing when it is empty. Handler.
bool crash_emit_text(const char *key, uint64_t address);
/// Copies memory that may not be readable. Handler.
bool crash_look(void *nothing, uint64_t address, void *to, size_t count);

size_t crash_put_text(char *line, size_t at, const char *text);
size_t crash_put_number(char *line, size_t at, uint64_t value, unsigned base);

// MARK: Images (crash_images.c)

/// Writes down what is loaded, for the handler and in the file at a place. On Apple's systems that goes on after this
/// returned. Called under the lock that `crash_lock` takes.
void crash_images_begin(int place);
/// The code at an address. Handler.
ctrackway_code_kind crash_images_code(void *nothing, uint64_t address);
/// The function at an address. Handler.
bool crash_images_function(void *nothing, uint64_t address, uint64_t *first, uint64_t *last);
/// Remembers that the report names an address, so that its image is told of, too. Handler.
void crash_images_use(uint64_t address);
/// Forgets which images are to be told of. Handler.
void crash_images_use_none(void);
/// Tells of the images that are in no file yet: the executable, and those the report names. Handler.
void crash_images_emit(void);
/// Tells what images have to say about the process's end. Handler.
void crash_images_emit_messages(void);

// MARK: Capture (crash.c)

/// Beginning and ending of capture do not overlap. Not for handlers.
void crash_lock(void);
void crash_unlock(void);

#pragma GCC visibility pop
#endif
#endif
