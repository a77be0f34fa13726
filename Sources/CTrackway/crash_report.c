// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Writes the lines of a report while the process dies. Everything here except preparing, adding and noting runs inside
// the signal handler and is safe there. It uses memory that existed before, and calls write, read, ftruncate, lseek,
// clock_gettime, pthread_sigmask, sigpending, and sigwait or sigtimedwait, which POSIX allows (blocked_signal.h), as
// well as functions that only return numbers of the calling thread (gettid; pthread_self, pthread_mach_thread_np,
// pthread_main_np). Its state consists of words that are accessed atomically, and buffers that only the reporting
// thread uses.
//
// Memory that may be invalid is never read directly: it is written to a pipe, where an invalid address causes an error
// instead of another fault, and read back.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "crash.h"

#if CRASHES_ARE_CAPTURED
#include "clock.h"
#include "blocked_signal.h"
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <ucontext.h>
#else
#include <sys/ucontext.h>
#endif

#define FILES 8
#define FRAMES 128
#define MESSAGE 2048
#define THROWN 128

/// The files for reports; -1 marks a free slot.
///
/// The length is the file's length before a report.
static struct {
    int file;
    off_t length;
} files[FILES] = {{-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}, {-1, 0}};
static int probe_read = -1;
static int probe_write = -1;

uint64_t crash_thread_number(void) {
#if defined(__linux__)
    return (uint64_t)syscall(SYS_gettid);
#else
    return (uint64_t)pthread_mach_thread_np(pthread_self());
#endif
}

// MARK: Files

int crash_report_prepare(void) {
    int ends[2];
    if (probe_read >= 0) return 0;
    ctrackway_fill_standard();
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) ends[end] = ctrackway_above_standard(ends[end]);
    if (ends[0] < 0 || ends[1] < 0) {
        for (int end = 0; end < 2; end++) {
            if (ends[end] >= 0) close(ends[end]);
        }
        return -1;
    }
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    probe_read = ends[0];
    probe_write = ends[1];
    return 0;
}

int crash_report_add(int file) {
    for (int place = 0; place < FILES; place++) {
        if (files[place].file >= 0) continue;
        files[place].length = lseek(file, 0, SEEK_END);
        __atomic_store_n(&files[place].file, file, __ATOMIC_RELEASE);
        return place;
    }
    errno = EMFILE;
    return -1;
}

void crash_report_remove(int place) {
    if (place >= 0 && place < FILES) __atomic_store_n(&files[place].file, -1, __ATOMIC_RELEASE);
}

bool crash_report_is_wanted(void) {
    for (int place = 0; place < FILES; place++) {
        if (files[place].file >= 0) return true;
    }
    return false;
}

int crash_report_file(int place) {
    return place >= 0 && place < FILES ? __atomic_load_n(&files[place].file, __ATOMIC_ACQUIRE) : -1;
}

void crash_report_settle(int place) {
    int file = crash_report_file(place);
    if (file >= 0) files[place].length = lseek(file, 0, SEEK_CUR);
}

// MARK: Writing

void crash_report_write_all(int file, const char *bytes, size_t count) {
    // A file that has reached the process's size limit must not end the process with SIGXFSZ.
    blocked_signal blocked = ctrackway_block_signal(SIGXFSZ);
    bool is_beyond = false;
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {  // The disk is full. Readers accept an incomplete report.
            is_beyond = written < 0 && errno == EFBIG;
            break;
        }
        bytes += written;
        count -= (size_t)written;
    }
    ctrackway_unblock_signal(&blocked, is_beyond);
}

void crash_emit(const char *bytes, size_t count) {
    for (int place = 0; place < FILES; place++) {
        if (files[place].file >= 0) crash_report_write_all(files[place].file, bytes, count);
    }
}

size_t crash_put_text(char *line, size_t at, const char *text) {
    size_t count = strlen(text);
    memcpy(line + at, text, count);
    return at + count;
}

size_t crash_put_number(char *line, size_t at, uint64_t value, unsigned base) {
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value > 0);
    while (count > 0) line[at++] = digits[--count];
    return at;
}

/// Writes one line: a key and a number.
void crash_emit_number(const char *key, uint64_t value, unsigned base) {
    char line[64];
    size_t at = crash_put_text(line, 0, key);
    line[at++] = ' ';
    at = crash_put_number(line, at, value, base);
    line[at++] = '\n';
    crash_emit(line, at);
}

/// Writes the time of a clock plus an offset, in milliseconds.
static void emit_time(const char *key, clockid_t clock, int64_t shift_milliseconds) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return;
    int64_t milliseconds = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + shift_milliseconds;
    crash_emit_number(key, (uint64_t)milliseconds, 10);
}

// MARK: Reading memory that may be invalid

bool crash_read_memory(void *context, uint64_t address, void *to, size_t count) {
    (void)context;
    if (address < 4096 || address > UINTPTR_MAX) return false;
    // On every system, a pipe accepts this many bytes atomically.
    if (count > 512) return false;
    ssize_t written;
    do {
        written = write(probe_write, (const void *)(uintptr_t)address, count);
    } while (written < 0 && errno == EINTR);
    if (written <= 0) return false;
    ssize_t got;
    do {
        // If the range extends beyond readable memory, a part may have been written, which is removed from the pipe
        // here.
        got = read(probe_read, to, (size_t)written);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)count;
}

/// Copies a text without line ends, and returns its length.
static size_t read_text(uint64_t text, char *to, size_t capacity) {
    size_t count = 0;
    while (count + 16 <= capacity) {
        // Read up to the next multiple of 16, so that no read crosses a page boundary.
        size_t step = 16 - text % 16;
        if (!crash_read_memory(NULL, text, to + count, step)) break;
        size_t length = strnlen(to + count, step);
        count += length;
        text += length;
        if (length < step) break;
    }
    for (size_t at = 0; at < count; at++) {
        if (to[at] == '\n' || to[at] == '\r') to[at] = ' ';
    }
    while (count > 0 && to[count - 1] == ' ') count--;
    return count;
}

bool crash_emit_text(const char *key, uint64_t address) {
    static char line[MESSAGE + 64];
    size_t start = crash_put_text(line, 0, key);
    line[start++] = ' ';
    size_t count = address == 0 ? 0 : read_text(address, line + start, MESSAGE + 16);
    if (count == 0) return false;
    line[start + count] = '\n';
    crash_emit(line, start + count + 1);
    return true;
}

// MARK: The stack

static void read_registers(void *machine, ctrackway_registers *registers) {
    const ucontext_t *context = machine;
    memset(registers, 0, sizeof *registers);
#if defined(__linux__) && defined(__x86_64__)
    registers->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    registers->frame = (uint64_t)context->uc_mcontext.gregs[REG_RBP];
    registers->stack = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__linux__) && defined(__aarch64__)
    registers->pc = context->uc_mcontext.pc;
    registers->frame = context->uc_mcontext.regs[29];
    registers->link = context->uc_mcontext.regs[30];
    registers->stack = context->uc_mcontext.sp;
#elif defined(__APPLE__) && defined(__x86_64__)
    registers->pc = context->uc_mcontext->__ss.__rip;
    registers->frame = context->uc_mcontext->__ss.__rbp;
    registers->stack = context->uc_mcontext->__ss.__rsp;
#elif defined(__APPLE__) && defined(__aarch64__)
    registers->pc = (uint64_t)__darwin_arm_thread_state64_get_pc(context->uc_mcontext->__ss);
    registers->frame = (uint64_t)__darwin_arm_thread_state64_get_fp(context->uc_mcontext->__ss);
    registers->link = (uint64_t)__darwin_arm_thread_state64_get_lr(context->uc_mcontext->__ss);
    registers->stack = (uint64_t)__darwin_arm_thread_state64_get_sp(context->uc_mcontext->__ss);
#else
    (void)context;
#endif
}

static void emit_frame(void *context, ctrackway_frame_kind kind, uint64_t address) {
    (void)context;
    static const char *const keys[] = {"frame", "maybe", "awaiting"};
    crash_emit_number(keys[kind], address, 16);
    crash_images_use(address);
}

static void emit_stack(void *machine) {
    ctrackway_registers registers;
    read_registers(machine, &registers);
    if (registers.pc == 0 && registers.stack == 0) return;
    ctrackway_walk walk = {
        .read = crash_read_memory,
        .code = crash_images_code,
        .function = crash_images_function,
        .frame = emit_frame,
        .address_mask = ctrackway_address_mask(),
#if defined(__APPLE__)
        // Swift's async functions mark their frames in these bits.
        .frame_flags = 0xF000000000000000ull,
#endif
#if defined(__aarch64__)
        .has_link = true,
#endif
        .limit = FRAMES,
    };
    if (ctrackway_walk_stack(&walk, registers)) crash_emit("deeper\n", 7);
}

// MARK: Messages

/// The message of an uncaught exception, and the thread that threw it.
///
/// State: 0 empty, 1 being written, 2 complete.
static struct {
    uint32_t state;
    uint64_t thread;
    char text[MESSAGE];
    uint64_t addresses[THROWN];
    size_t count;
} exception;

void ctrackway_crash_note_exception(const char *text, const uint64_t *addresses, size_t count) {
    // An exception that the process survived is replaced; of two concurrent ones, the first is kept.
    uint32_t state = __atomic_load_n(&exception.state, __ATOMIC_ACQUIRE);
    if (state == 1) return;
    if (!__atomic_compare_exchange_n(&exception.state, &state, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
    exception.thread = crash_thread_number();
    strncpy(exception.text, text, sizeof exception.text - 1);
    exception.text[sizeof exception.text - 1] = 0;
    exception.count = count < THROWN ? count : THROWN;
    memcpy(exception.addresses, addresses, exception.count * sizeof *addresses);
    __atomic_store_n(&exception.state, 2, __ATOMIC_RELEASE);
}

static void emit_exception(int number) {
    if (number != SIGABRT || __atomic_load_n(&exception.state, __ATOMIC_ACQUIRE) != 2) return;
    if (exception.thread != crash_thread_number()) return;
    crash_emit_text("exception", (uint64_t)(uintptr_t)exception.text);
    uint64_t mask = ctrackway_address_mask();
    for (size_t index = 0; index < exception.count; index++) {
        crash_emit_number("thrown", exception.addresses[index] & mask, 16);
        crash_images_use(exception.addresses[index] & mask);
    }
}

#if defined(__linux__)
/// Returns the location of the Swift runtime's fatal error message.
///
/// The runtime provides it for debuggers, but not in every version.
extern const void *swift_getFatalErrorMessageBuffer(void) __attribute__((weak));
#endif

static void emit_message(int number) {
    if (number != SIGILL && number != SIGTRAP && number != SIGABRT) return;
#if defined(__linux__)
    if (swift_getFatalErrorMessageBuffer == NULL) return;
    uintptr_t text;
    uint64_t at = (uint64_t)(uintptr_t)swift_getFatalErrorMessageBuffer();
    if (crash_read_memory(NULL, at, &text, sizeof text)) crash_emit_text("message", text);
#else
    crash_images_emit_messages();
#endif
}

// MARK: The report

void crash_report_write(int number, const char *name, const siginfo_t *information, void *machine) {
    char line[64];
    size_t at = crash_put_text(line, 0, "signal ");
    at = crash_put_number(line, at, (uint64_t)number, 10);
    line[at++] = ' ';
    at = crash_put_text(line, at, name);
    line[at++] = '\n';
    crash_emit(line, at);
    emit_time("wall", CLOCK_REALTIME, 0);
    // The same clock as in events, with the same offset from the system's clock.
#if defined(__APPLE__)
    emit_time("monotonic", CTRACKWAY_MONOTONIC, ctrackway_monotonic_shift_milliseconds);
#else
    emit_time("monotonic", CTRACKWAY_MONOTONIC, 0);
#endif
    if (information->si_code > 0) {
        crash_emit_number("code", (uint64_t)information->si_code, 10);
        crash_emit_number("address", (uint64_t)(uintptr_t)information->si_addr, 16);
    }
    crash_emit_number("thread", crash_thread_number(), 10);
#if defined(__APPLE__)
    crash_emit_number("main", pthread_main_np() == 1, 10);
#endif
    crash_images_use_none();
    emit_message(number);
    emit_exception(number);
    emit_stack(machine);
    crash_images_emit();
    crash_emit("end\n", 4);
}

void crash_report_forget(void) {
    for (int place = 0; place < FILES; place++) {
        if (files[place].file < 0) continue;
        // A report that cannot be removed stays; the signal did occur.
        if (ftruncate(files[place].file, files[place].length) != 0) continue;
        lseek(files[place].file, files[place].length, SEEK_SET);
    }
}
#else
void ctrackway_crash_note_exception(const char *text, const uint64_t *addresses, size_t count) {
    (void)text;
    (void)addresses;
    (void)count;
}
#endif
