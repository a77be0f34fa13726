// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Handles the signals that end a process, and passes them on. Everything that needs memory, locks or symbol names is
// done when capture begins: files are opened, the loaded images are registered, and a stack for the handler is
// allocated. The handler calls only functions that POSIX allows inside a signal handler (sigaction, raise, getpid,
// nanosleep, and those listed in crash_report.c), and reads data that was written before it was installed. It does not
// affect the host: a previous handler of the signal is still called, and without one, the process dies of the same
// signal.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "crash.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if CRASHES_ARE_CAPTURED
static const struct {
    int number;
    const char *name;
} fatal_signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
    {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGTRAP, "SIGTRAP"},
};
#define SIGNALS ((int)(sizeof fatal_signals / sizeof *fatal_signals))

/// The previous handler of each signal.
///
/// Written before our handler is installed, and only read while it is installed.
static struct sigaction previous_actions[SIGNALS];
static pid_t owner;
/// Whether our handler is installed.
///
/// It may be below a handler that was installed later.
static bool is_installed[SIGNALS];
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

/// The thread that writes the report; 0 if none.
///
/// It is the first thread that crashed.
static uint64_t reporting_thread;
/// 1 after the report was written.
static uint32_t is_reported;

// MARK: The handler

static void restore(int index) { sigaction(fatal_signals[index].number, &previous_actions[index], NULL); }

/// Whether the faulting instruction fails again when the handler returns.
static bool happens_again(int number, const siginfo_t *information) {
    if (information->si_code <= 0) return false;  // The signal was sent.
#if defined(__x86_64__)
    if (number == SIGTRAP) return false;  // The trap instruction has already been executed.
#endif
    return number != SIGABRT;
}

static void on_crash(int number, siginfo_t *information, void *machine);

static bool is_ours(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash;
}

/// Passes the signal on, as if our handler were not installed.
static void forward_signal(int index, siginfo_t *information, void *machine, bool is_reporter) {
    int number = fatal_signals[index].number;
    const struct sigaction *previous = &previous_actions[index];
    bool has_handler =
        (previous->sa_flags & SA_SIGINFO) != 0 || (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN);
    if (!has_handler) {
        bool is_ignored = previous->sa_handler == SIG_IGN;
        if (is_ignored && !happens_again(number, information)) return;
        restore(index);
        if (!happens_again(number, information)) raise(number);
        return;
    }
    bool is_spent = (previous->sa_flags & SA_RESETHAND) != 0;
    if (is_spent) {
        struct sigaction standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        sigemptyset(&standard.sa_mask);
        sigaction(number, &standard, NULL);
    }
    if ((previous->sa_flags & SA_SIGINFO) != 0) {
        previous->sa_sigaction(number, information, machine);
    } else {
        previous->sa_handler(number);
    }
    // The previous handler returned, and ours is still installed: the fault was handled, so nothing crashed.
    if (is_reporter && is_ours(number) && number != SIGABRT) {
        crash_report_forget();
        __atomic_store_n(&is_reported, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&reporting_thread, 0, __ATOMIC_RELEASE);
    }
}

static void on_crash(int number, siginfo_t *information, void *machine) {
    int saved_errno = errno;
    int index = 0;
    while (index < SIGNALS - 1 && fatal_signals[index].number != number) index++;
    bool is_reporter = false;
    // The signal was sent, and the host ignores it, so the process does not end.
    bool is_ignored = (previous_actions[index].sa_flags & SA_SIGINFO) == 0
        && previous_actions[index].sa_handler == SIG_IGN && information->si_code <= 0 && number != SIGABRT;
    if (getpid() == owner && !is_ignored) {
        uint64_t me = crash_thread_number();
        uint64_t first = 0;
        if (__atomic_compare_exchange_n(&reporting_thread, &first, me, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            crash_report_write(number, fatal_signals[index].name, information, machine);
            is_reporter = true;
            __atomic_store_n(&is_reported, 1, __ATOMIC_RELEASE);
        } else if (first != me) {
            // Another thread crashed first. Give it time to write the report; then this thread continues.
            for (int turn = 0; turn < 500 && __atomic_load_n(&is_reported, __ATOMIC_ACQUIRE) == 0; turn++) {
                struct timespec pause = {0, 10000000};
                nanosleep(&pause, NULL);
            }
        }
        // If it is the same thread, writing the report crashed. The output so far is kept, and no further attempt is
        // made.
    }
    errno = saved_errno;
    forward_signal(index, information, machine, is_reporter);
    errno = saved_errno;
}

// MARK: Starting and stopping

static int install(void) {
    for (int index = 0; index < SIGNALS; index++) {
        int number = fatal_signals[index].number;
        struct sigaction *previous = &previous_actions[index];
        if (is_installed[index]) continue;
        if (sigaction(number, NULL, previous) != 0) return -1;
        struct sigaction ours;
        memset(&ours, 0, sizeof ours);
        ours.sa_sigaction = on_crash;
        bool has_handler = (previous->sa_flags & SA_SIGINFO) != 0
            || (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN);
        if (has_handler) {
            ours.sa_mask = previous->sa_mask;
            ours.sa_flags = (int)(previous->sa_flags & ~SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK;
        } else {
            sigemptyset(&ours.sa_mask);
            ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
        }
        if (sigaction(number, &ours, NULL) != 0) return -1;
        is_installed[index] = true;
    }
    return 0;
}

/// Removes our handler unless another one was installed on top.
///
/// Such a handler may call ours, which then stays installed and passes signals on.
static void uninstall(void) {
    for (int index = 0; index < SIGNALS; index++) {
        if (!is_installed[index] || !is_ours(fatal_signals[index].number)) continue;
        restore(index);
        is_installed[index] = false;
    }
}

void crash_lock(void) { pthread_mutex_lock(&installing); }
void crash_unlock(void) { pthread_mutex_unlock(&installing); }

int ctrackway_crash_begin(int file) {
    crash_lock();
    int place = -1;
    if (crash_report_prepare() == 0 && ctrackway_crash_prepare_thread() == 0) {
        owner = getpid();
        // Read the clock once, so that its offset, if any, is set for the handler.
        (void)ctrackway_monotonic_milliseconds();
        place = crash_report_add(file);
    }
    if (place >= 0) {
        crash_images_begin(place);
        if (install() != 0) {
            int reason = errno;
            crash_report_remove(place);
            uninstall();
            errno = reason;
            place = -1;
        }
    }
    crash_unlock();
    return place;
}

void ctrackway_crash_end(int place) {
    // If the images are being written to a file, wait for that to finish.
    crash_lock();
    crash_report_remove(place);
    if (!crash_report_is_wanted()) uninstall();
    crash_unlock();
}
#else
int ctrackway_crash_begin(int file) {
    (void)file;
    errno = ENOTSUP;
    return -1;
}
void ctrackway_crash_end(int place) { (void)place; }
#endif

int ctrackway_crash_unsupported(void) { return ENOTSUP; }

// MARK: Signal stacks

#if HANDLERS_HAVE_STACKS
#define HANDLER_STACK (256 * 1024)
static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void free_stack(void *stack) {
    stack_t none = {0};
    none.ss_flags = SS_DISABLE;
    none.ss_size = MINSIGSTKSZ;
    sigaltstack(&none, NULL);
    munmap(stack, HANDLER_STACK);
}
static void make_stack_key(void) { pthread_key_create(&stack_key, free_stack); }

int ctrackway_crash_prepare_thread(void) {
    stack_t now;
    if (sigaltstack(NULL, &now) != 0) return -1;
    if ((now.ss_flags & SS_DISABLE) == 0) return 0;  // The host has set one, which we use but must not replace.
    void *memory = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -1;
    stack_t fresh = {0};
    fresh.ss_sp = memory;
    fresh.ss_size = HANDLER_STACK;
    if (sigaltstack(&fresh, NULL) != 0) {
        munmap(memory, HANDLER_STACK);
        return -1;
    }
    pthread_once(&stack_once, make_stack_key);
    pthread_setspecific(stack_key, memory);
    return 0;
}
#else
int ctrackway_crash_prepare_thread(void) { return 0; }
#endif
