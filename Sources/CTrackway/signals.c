// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Watches signals without replacing their handlers. The handler does three things that are allowed inside a signal
// handler: it writes one byte to a pipe, calls the previous handler, and, without one, leaves the default action
// to the thread that reads the pipe, which performs it after the app was notified. See ctrackway_signals_finish.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "blocked_signal.h"
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CTRACKWAY_SIGNALS 65

/// The previous action of a signal.
///
/// Written before the handler is installed, and only read while it is installed.
typedef struct watched_signal {
    struct sigaction previous;
    /// 1 while our handler is installed or being removed.
    int watched;
    /// 1 after a previous handler with SA_RESETHAND has run once.
    ///
    /// The default action then applies.
    int previous_is_spent;
} watched_signal;

static watched_signal signals[CTRACKWAY_SIGNALS];
static int pipe_read = -1;
static int pipe_write = -1;
/// The process that opened the pipe.
///
/// A forked child inherits the handlers, but not the reading thread.
static pid_t owner;
/// The number of termination signals that were reported but not finished.
static int endings;
/// 1 from a stop signal until the process stops.
///
/// A SIGCONT in between cancels the stop, as the system would.
static int stopping;
/// True on the thread that reads the pipe.
static _Thread_local bool is_reader_thread;
static void (*reader_body)(int number, bool owes_default);
/// Set in a byte if another handler handled the signal.
///
/// Signal numbers are smaller.
#define CTRACKWAY_HANDLED 0x80

static bool is_ending(int number) { return number != SIGTSTP && number != SIGCONT; }

static bool leaves_to_default(int number) {
    const struct sigaction *previous = &signals[number].previous;
    if (__atomic_load_n(&signals[number].previous_is_spent, __ATOMIC_ACQUIRE)) return true;
    return (previous->sa_flags & SA_SIGINFO) == 0 && previous->sa_handler == SIG_DFL;
}

/// Performs the default action on return from the handler.
///
/// The signal is blocked while the handler runs.
static void default_action(int number) {
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    sigaction(number, &standard, NULL);
    raise(number);
}

static void on_signal(int number, siginfo_t *information, void *machine) {
    int saved_errno = errno;
    watched_signal *signal_ = &signals[number];
    bool by_default = leaves_to_default(number);

    if (number == SIGCONT) __atomic_store_n(&stopping, 0, __ATOMIC_RELEASE);
    if (getpid() != owner) {
        if (by_default && number != SIGCONT) default_action(number);
    } else if (by_default && number == SIGTSTP && __atomic_exchange_n(&stopping, 1, __ATOMIC_ACQ_REL) != 0) {
        // Already about to stop: one stop is sufficient, regardless of repeated key presses.
    } else if (by_default && is_ending(number) && __atomic_fetch_add(&endings, 1, __ATOMIC_ACQ_REL) > 0) {
        // A second request while the app is still being notified: end the process without waiting.
        default_action(number);
    } else {
        unsigned char byte = (unsigned char)(number | (by_default ? 0 : CTRACKWAY_HANDLED));
        ssize_t written;
        do {
            written = write(pipe_write, &byte, 1);
        } while (written < 0 && errno == EINTR);
        if (written != 1 && by_default && number != SIGCONT) {
            __atomic_store_n(&stopping, 0, __ATOMIC_RELEASE);
            default_action(number);
        }
    }

    if (!by_default) {
        if ((signal_->previous.sa_flags & SA_RESETHAND) != 0) {
            __atomic_store_n(&signal_->previous_is_spent, 1, __ATOMIC_RELEASE);
        }
        errno = saved_errno;
        if ((signal_->previous.sa_flags & SA_SIGINFO) != 0) {
            signal_->previous.sa_sigaction(number, information, machine);
        } else if (signal_->previous.sa_handler != SIG_IGN) {
            signal_->previous.sa_handler(number);
        }
    }
    errno = saved_errno;
}

/// Installs our handler over `previous`.
///
/// It uses the flags and the mask that the previous handler expects.
static int install(int number, const struct sigaction *previous) {
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = on_signal;
    bool had_handler =
        (previous->sa_flags & SA_SIGINFO) != 0 || (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN);
    if (had_handler) {
        ours.sa_mask = previous->sa_mask;
        ours.sa_flags = (int)(previous->sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
    } else {
        sigemptyset(&ours.sa_mask);
        ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    }
    return sigaction(number, &ours, NULL);
}

static bool is_ours(int number) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal;
}

static int open_pipe(void) {
    ctrackway_fill_standard();
    int ends[2];
#if defined(__linux__)
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
#else
    if (pipe(ends) != 0) return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
    for (int end = 0; end < 2; end++) ends[end] = ctrackway_above_standard(ends[end]);
    if (ends[0] < 0 || ends[1] < 0) {
        for (int end = 0; end < 2; end++) {
            if (ends[end] >= 0) close(ends[end]);
        }
        return -1;
    }
    // The handler must never wait: if the pipe is full, it falls back to the default action.
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    pipe_read = ends[0];
    pipe_write = ends[1];
    owner = getpid();
    return 0;
}

int ctrackway_signals_watch(int number) {
    if (number <= 0 || number >= CTRACKWAY_SIGNALS || pipe_read < 0) {
        errno = EINVAL;
        return -1;
    }
    watched_signal *signal_ = &signals[number];
    // Watch it only once. A handler that was installed after ours must not become our "previous" one, because it may
    // call ours.
    if (__atomic_load_n(&signal_->watched, __ATOMIC_ACQUIRE)) return 1;
    struct sigaction previous;
    if (sigaction(number, NULL, &previous) != 0) return -1;
    bool ignored = (previous.sa_flags & SA_SIGINFO) == 0 && previous.sa_handler == SIG_IGN;
    // Ignored on purpose (nohup, a shell without job control, a host with its own sources): the signal stays ignored.
    if (ignored) return 0;
    signal_->previous = previous;
    __atomic_store_n(&signal_->previous_is_spent, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&signal_->watched, 1, __ATOMIC_RELEASE);
    if (install(number, &previous) == 0) return 1;
    __atomic_store_n(&signal_->watched, 0, __ATOMIC_RELEASE);
    return -1;
}

void ctrackway_signals_unwatch(int number) {
    if (number <= 0 || number >= CTRACKWAY_SIGNALS || !signals[number].watched) return;
    // A handler that was installed after ours stays: it may call ours, which then only passes signals on.
    if (is_ours(number)) {
        sigaction(number, &signals[number].previous, NULL);
        __atomic_store_n(&signals[number].watched, 0, __ATOMIC_RELEASE);
    }
}

static void read_signals(void *context) {
    (void)context;
    is_reader_thread = true;
    for (;;) {
        unsigned char byte;
        ssize_t got = read(pipe_read, &byte, 1);
        if (got == 1) {
            int number = byte & ~CTRACKWAY_HANDLED;
            // The default action of SIGCONT has already been performed.
            reader_body(number, number != 0 && number != SIGCONT && (byte & CTRACKWAY_HANDLED) == 0);
        } else if (got == 0 || errno != EINTR) {
            return;
        }
    }
}

int ctrackway_signals_start(void (*body)(int number, bool owes_default)) {
    if (pipe_read >= 0) return 0;
    if (open_pipe() != 0) return -1;
    reader_body = body;
    // All signals are blocked: a signal that the host's threads block in order to wait for it must not be delivered to
    // this thread.
    if (ctrackway_thread_start("trackway.signals", read_signals, NULL) == 0) return 0;
    int reason = errno;
    close(pipe_read);
    close(pipe_write);
    pipe_read = pipe_write = -1;
    errno = reason;
    return -1;
}

int ctrackway_signals_post(void) {
    unsigned char byte = 0;
    ssize_t written;
    do {
        written = write(pipe_write, &byte, 1);
    } while (written < 0 && errno == EINTR);
    return written == 1 ? 0 : -1;
}

void ctrackway_signals_finish(int number) {
    if (number <= 0 || number >= CTRACKWAY_SIGNALS) return;
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    sigemptyset(&standard.sa_mask);
    sigset_t only, saved_mask;
    sigemptyset(&only);
    sigaddset(&only, number);

    // Raised while blocked: from here on, a SIGCONT makes the system itself discard the stop.
    pthread_sigmask(SIG_BLOCK, &only, &saved_mask);
    struct sigaction before, after;
    bool replaced = sigaction(number, &standard, &before) == 0;
    raise(number);
    if (number == SIGTSTP && __atomic_exchange_n(&stopping, 0, __ATOMIC_ACQ_REL) == 0) {
        ctrackway_discard_signal(number, &only);
    }
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    // If this returns, the process was stopped and continued, or the stop was canceled or ignored (an orphaned process
    // group).
    pthread_sigmask(SIG_SETMASK, &saved_mask, NULL);
    bool untouched = sigaction(number, NULL, &after) == 0 && (after.sa_flags & SA_SIGINFO) == 0 &&
        after.sa_handler == SIG_DFL;
    if (replaced && untouched) sigaction(number, &before, NULL);
}

bool ctrackway_signals_is_reader(void) { return is_reader_thread; }

// MARK: Normal exit

static void (*exit_callback)(void);
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;

static int exit_told;

void ctrackway_exit_began(void) {
    void (*callback)(void) = __atomic_load_n(&exit_callback, __ATOMIC_ACQUIRE);
    if (callback == NULL || getpid() != owner) return;
    if (__atomic_exchange_n(&exit_told, 1, __ATOMIC_ACQ_REL) == 0) callback();
}
static void register_exit(void) { atexit(ctrackway_exit_began); }

void ctrackway_on_exit(void (*callback)(void)) {
    __atomic_store_n(&exit_callback, callback, __ATOMIC_RELEASE);
    pthread_once(&exit_once, register_exit);
}

// MARK: Standard error

int ctrackway_write_standard_error(const char *text, size_t count) {
    struct pollfd ready = {STDERR_FILENO, POLLOUT, 0};
    // A reader that stopped reading must not block the app: text that cannot be written immediately is dropped.
    if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return -1;

    // A closed reader must not end the app, nor must a file that has reached its size limit.
    blocked_signal broken = ctrackway_block_signal(SIGPIPE);
    blocked_signal full = ctrackway_block_signal(SIGXFSZ);
    ssize_t written;
    do {
        written = write(STDERR_FILENO, text, count);
    } while (written < 0 && errno == EINTR);
    ctrackway_unblock_signal(&full, written < 0 && errno == EFBIG);
    ctrackway_unblock_signal(&broken, written < 0 && errno == EPIPE);
    return written == (ssize_t)count ? 0 : -1;
}
