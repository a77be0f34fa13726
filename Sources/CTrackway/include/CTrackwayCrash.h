// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Reports about a process while it dies: capture itself, and parts that read memory through a given function, so that
// they work with any representation of a process's memory, on every system.

#ifndef CTRACKWAY_CRASH_H
#define CTRACKWAY_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

// MARK: Capture (one set of signals per process)

/// Writes a report if the process dies of a fatal signal.
///
/// The signals are SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGTRAP. The report consists of lines of text, appended
/// to the existing lines. Lines for loaded images are also added: immediately, or on Apple systems on a separate
/// thread. Previous handlers of the signals are still called. Returns the slot of the file among at most eight, or -1;
/// ENOTSUP on watchOS, which ends a process that handles these signals.
int ctrackway_crash_begin(int file);
/// Returns the error number of systems without crash capture.
int ctrackway_crash_unsupported(void);
/// Stops reports to the file in this slot.
///
/// The caller closes the file.
void ctrackway_crash_end(int place);
/// Gives the calling thread a signal stack if it has none.
///
/// Stack overflows of the thread can then be reported, too. Returns -1 if memory is exhausted. The thread that begins
/// capture already has such a stack.
int ctrackway_crash_prepare_thread(void);
/// Stores an uncaught exception's message and calls.
///
/// The calls are those that threw it, innermost first. They become part of the report of the SIGABRT that the same
/// thread is about to receive. Not for signal handlers.
void ctrackway_crash_note_exception(const char *text, const uint64_t *addresses, size_t count);

// MARK: Memory

/// Copies bytes of a process's memory.
///
/// Returns false if any of them cannot be read.
typedef bool (*ctrackway_memory_reader)(void *context, uint64_t address, void *to, size_t count);

// MARK: Images

/// A loaded executable or library.
typedef struct ctrackway_image {
    /// The base of offsets within it.
    ///
    /// For a Mach-O image, it is the load address, which is the address of the header.
    uint64_t base;
    /// The address range of its code.
    uint64_t first, last;
    /// Identifies the image's symbols.
    ///
    /// A Mach-O image's UUID with hyphens, an ELF image's build id, or "".
    char build[80];
    /// "arm64", "arm64e", "x86_64", …; "" if unknown.
    char architecture[16];
    bool is_executable;
    /// Whether it is in the system's shared cache of libraries.
    ///
    /// The system maps the cache into every process.
    bool is_system;
    /// The address and length of the list of its functions' starts.
    ///
    /// 0 if none.
    uint64_t functions, functions_size;
    /// The address of its note about the end of the process (`__crash_info`).
    ///
    /// 0 if none.
    uint64_t annotations;
} ctrackway_image;

/// Parses the header and load commands of a Mach-O image.
///
/// The image is a 32-bit or 64-bit one, at its load address. Returns false if no image is there. Reads only through
/// `read`; may be called inside a signal handler if `read` may.
bool ctrackway_macho_read(ctrackway_memory_reader read, void *memory, uint64_t address, ctrackway_image *image);
/// Finds the function of an image that contains an address.
///
/// Returns false if the image does not list functions. Otherwise like ctrackway_macho_read.
bool ctrackway_macho_function(
    ctrackway_memory_reader read,
    void *memory,
    const ctrackway_image *image,
    uint64_t address,
    uint64_t *first,
    uint64_t *last
);

// MARK: Stacks

/// The registers of a thread that are needed to walk its stack.
typedef struct ctrackway_registers {
    uint64_t pc, frame, stack;
    /// The innermost function's return address, if the processor has a link register.
    uint64_t link;
} ctrackway_registers;

typedef enum ctrackway_frame_kind {
    /// A call on the stack.
    ///
    /// The first is the thread's current position, the others are return addresses.
    ctrackway_frame_call,
    /// A word of the stack that follows a call instruction.
    ///
    /// It is a call, or the remainder of an earlier one.
    ctrackway_frame_guess,
    /// The position at which an awaiting async function resumes.
    ctrackway_frame_awaiting,
} ctrackway_frame_kind;

typedef enum ctrackway_code_kind {
    ctrackway_code_none,
    /// Has frame pointers.
    ctrackway_code_framed,
    /// Has no frame pointers, so its caller must be searched for.
    ctrackway_code_frameless,
} ctrackway_code_kind;

/// The parameters of a stack walk.
typedef struct ctrackway_walk {
    void *context;
    ctrackway_memory_reader read;
    ctrackway_code_kind (*code)(void *context, uint64_t address);
    /// Finds the function that contains an address, if known.
    bool (*function)(void *context, uint64_t address, uint64_t *first, uint64_t *last);
    /// Receives one call at a time, innermost first.
    void (*frame)(void *context, ctrackway_frame_kind kind, uint64_t address);
    /// The bits that belong to an address; the others are a signature.
    uint64_t address_mask;
    /// The bits of saved frame pointers that mark async functions.
    uint64_t frame_flags;
    /// Whether calls store their return address in a register.
    ///
    /// Frames always exist then, so the stack is not searched.
    bool has_link;
    /// The maximum number of calls.
    int limit;
} ctrackway_walk;

/// Walks a stack by its frame pointers.
///
/// Returns whether it is deeper than the limit. Reads only through `read`; may be called inside a signal handler if the
/// given functions may.
bool ctrackway_walk_stack(const ctrackway_walk *walk, ctrackway_registers registers);

/// Returns the bits of a code pointer that belong to the address.
///
/// The others are a signature, if any.
uint64_t ctrackway_address_mask(void);

#if defined(__cplusplus)
}
#endif
#endif
