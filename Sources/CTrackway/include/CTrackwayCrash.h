// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// What a process can still say about itself while it dies: capture itself, and the parts of it that look at memory through
// a function they are given, so that they work on any description of a process's memory, on every system.

#ifndef CTRACKWAY_CRASH_H
#define CTRACKWAY_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

// MARK: Capture (one set of signals per process)

/// Leaves a report in an open file when the process dies of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT or SIGTRAP: lines of
/// text behind those that are in the file already. Also adds lines for loaded images: at once, or on Apple's systems on a
/// thread of its own. Whoever handled the signals before still does. Returns the place of the file among at most eight, or
/// -1; ENOTSUP on watchOS, which ends a process that asks for these signals.
int ctrackway_crash_begin(int file);
/// The error number of a system where there is no capture.
int ctrackway_crash_unsupported(void);
/// Leaves no report in the file at this place from now on. The caller closes the file.
void ctrackway_crash_end(int place);
/// Gives the calling thread a stack for signal handlers if it has none, so that its running out of stack can be
/// reported too; -1 when there is no memory. The thread that begins capture has one.
int ctrackway_crash_prepare_thread(void);
/// Keeps what an uncaught exception says and where it was thrown, innermost call first, for the report of the SIGABRT that
/// the same thread is about to meet. Not for signal handlers.
void ctrackway_crash_note_exception(const char *text, const uint64_t *addresses, size_t count);

// MARK: Memory

/// Copies bytes of a process's memory; false when any of them cannot be read.
typedef bool (*ctrackway_memory_reader)(void *context, uint64_t address, void *to, size_t count);

// MARK: Images

/// A loaded executable or library.
typedef struct ctrackway_image {
    /// What offsets within it are counted from; of a Mach-O image the address of its header, its load address.
    uint64_t base;
    /// Where its code lies.
    uint64_t first, last;
    /// What its symbols are found by: a Mach-O image's UUID with hyphens, an ELF image's build id; "" when it has none.
    char build[80];
    /// "arm64", "arm64e", "x86_64", …; "" when unknown.
    char architecture[16];
    bool is_executable;
    /// From the cache of libraries that the system maps into every process.
    bool is_system;
    /// The list of where its functions begin, and its bytes; 0 when there is none.
    uint64_t functions, functions_size;
    /// What it has to say about the process's end (`__crash_info`); 0 when nothing.
    uint64_t annotations;
} ctrackway_image;

/// Reads the header and load commands of a Mach-O image, of 32 or 64 bits, at its load address. False when none lies there.
/// Reads nothing but through `read`; may be called inside a signal handler if that may.
bool ctrackway_macho_read(ctrackway_memory_reader read, void *memory, uint64_t address, ctrackway_image *image);
/// Finds the function of an image that an address lies in; false when the image does not list them. As above.
bool ctrackway_macho_function(
    ctrackway_memory_reader read,
    void *memory,
    const ctrackway_image *image,
    uint64_t address,
    uint64_t *first,
    uint64_t *last
);

// MARK: Stacks

/// What of a thread's registers its stack is walked from.
typedef struct ctrackway_registers {
    uint64_t pc, frame, stack;
    /// Where the innermost function returns to, on processors that have a register for that.
    uint64_t link;
} ctrackway_registers;

typedef enum ctrackway_frame_kind {
    /// A call on the stack: the first is where the thread stands, the others are where it returns to.
    ctrackway_frame_call,
    /// A word of the stack that follows a call instruction: a call, or what one left behind.
    ctrackway_frame_guess,
    /// Where an async function goes on that awaits what is on the stack.
    ctrackway_frame_awaiting,
} ctrackway_frame_kind;

typedef enum ctrackway_code_kind {
    ctrackway_code_none,
    /// Keeps frame pointers.
    ctrackway_code_framed,
    /// Does not: what it was called by has to be looked for.
    ctrackway_code_frameless,
} ctrackway_code_kind;

/// How a stack is walked.
typedef struct ctrackway_walk {
    void *context;
    ctrackway_memory_reader read;
    ctrackway_code_kind (*code)(void *context, uint64_t address);
    /// The function that an address lies in, where that is known.
    bool (*function)(void *context, uint64_t address, uint64_t *first, uint64_t *last);
    /// Takes one call, innermost first.
    void (*frame)(void *context, ctrackway_frame_kind kind, uint64_t address);
    /// Bits that belong to an address; others are a signature.
    uint64_t address_mask;
    /// Bits of saved frame pointers that mark the frame of an async function.
    uint64_t frame_flags;
    /// Whether calls leave their return address in a register, and frames are always kept: nothing is looked for then.
    bool has_link;
    /// Calls at most.
    int limit;
} ctrackway_walk;

/// Walks a stack by its frame pointers. Returns whether it goes deeper than the limit. Reads nothing but through `read`;
/// may be called inside a signal handler if the functions given may.
bool ctrackway_walk_stack(const ctrackway_walk *walk, ctrackway_registers registers);

/// Bits of a pointer to code that belong to the address on this machine; others are a signature, if there is one.
uint64_t ctrackway_address_mask(void);

#if defined(__cplusplus)
}
#endif
#endif
