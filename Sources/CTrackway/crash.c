// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Hears of the signals that end a process, and passes them on. Everything that needs memory, locks or names is done when
// capture begins: files are open, the loaded images are known, a stack for the handler lies ready. The handler calls only
// what POSIX allows inside a signal handler (sigaction, raise, getpid, nanosleep, and what crash_report.c lists) and reads
// what was written before it was installed. It takes nothing from the host: whoever handled the signal before still does,
// and where nobody did, the process dies of the very signal it would have died of.

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

/// Who handled each signal before. Written before our handler is installed, only read while it is.
static struct sigaction previous_actions[SIGNALS];
static pid_t owner;
/// Whether our handler is installed, or lies beneath one that somebody installed later.
static bool is_installed[SIGNALS];
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

/// The thread that writes the report: the first one to crash. 0 while nobody does.
static uint64_t reporting_thread;
/// 1 once the report is written.
static uint32_t is_reported;

// MARK: The handler

static void restore(int index) { sigaction(fatal_signals[index].number, &previous_actions[index], NULL); }

/// Whether the instruction that failed fails again when the handler returns.
static bool happens_again(int number, const siginfo_t *information) {
    if (information->si_code <= 0) return false;  // Somebody sent it.
#if defined(__x86_64__)
    if (number == SIGTRAP) return false;  // The trap lies behind us.
#endif
    return number != SIGABRT;
}

static void on_crash(int number, siginfo_t *information, void *machine);

static bool is_ours(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_crash;
}

/// Lets happen what would have happened without us.
static void pass_on(int index, siginfo_t *information, void *machine, bool is_reporter) {
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
    // It came back and stays in charge: it mended what was wrong, and nothing crashed.
    if (is_reporter && is_ours(number) && number != SIGABRT) {
        crash_report_forget();
        __atomic_store_n(&is_reported, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&reporting_thread, 0, __ATOMIC_RELEASE);
    }
}

static void on_crash(int number, siginfo_t *information, void *machine) {
    int kept = errno;
    int index = 0;
    while (index < SIGNALS - 1 && fatal_signals[index].number != number) index++;
    bool is_reporter = false;
    // Sent by somebody and ignored by the host: not the end of anything.
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
            // Another thread was first. It is given the time to write, then this one takes its own way.
            for (int turn = 0; turn < 500 && __atomic_load_n(&is_reported, __ATOMIC_ACQUIRE) == 0; turn++) {
                struct timespec pause = {0, 10000000};
                nanosleep(&pause, NULL);
            }
        }
        // The same thread again: writing the report crashed. What is written stays, and nothing more is tried.
    }
    errno = kept;
    pass_on(index, information, machine, is_reporter);
    errno = kept;
}

// MARK: Beginning and ending

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

/// Takes our handler away where nobody has put another one on top: such a one may call ours, which then stays and passes
/// on what comes.
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
        // So that the handler finds the clock's shift where there is one.
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
    // While the images are being written into a file, its end waits.
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

// MARK: Stacks for handlers

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
    if ((now.ss_flags & SS_DISABLE) == 0) return 0;  // The host made one; it is ours to use, not to replace.
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
