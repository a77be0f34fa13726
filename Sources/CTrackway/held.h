// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Some system calls tell a failure twice: by their result, and by a signal that ends the process. Around such a call the
// signal is held back on the calling thread, and taken back when the call brought it about; nobody else is affected.

#ifndef CTRACKWAY_HELD_H
#define CTRACKWAY_HELD_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/// Takes back a signal that this thread has blocked and that may be pending.
static inline void ctrackway_take_back(int number, const sigset_t *only) {
#if defined(__APPLE__)
    sigset_t pending;
    int taken;
    sigpending(&pending);
    if (sigismember(&pending, number) == 1) sigwait(only, &taken);
#else
    struct timespec none = {0, 0};
    (void)number;
    (void)sigtimedwait(only, NULL, &none);
#endif
}

typedef struct held_signal {
    int number;
    /// It was pending before: it is somebody else's, and stays.
    bool was_pending;
    sigset_t only, kept;
} held_signal;

static inline held_signal ctrackway_hold(int number) {
    held_signal held = {.number = number};
    sigset_t pending;
    sigemptyset(&held.only);
    sigaddset(&held.only, number);
    pthread_sigmask(SIG_BLOCK, &held.only, &held.kept);
    // Only a signal that was blocked before can be pending already.
    held.was_pending = sigismember(&held.kept, number) == 1 && sigpending(&pending) == 0 &&
        sigismember(&pending, number) == 1;
    return held;
}

/// `is_raised`: the call failed in the way that raises the signal. Keeps errno.
static inline void ctrackway_let_go(held_signal *held, bool is_raised) {
    int reason = errno;
    if (is_raised && !held->was_pending) ctrackway_take_back(held->number, &held->only);
    pthread_sigmask(SIG_SETMASK, &held->kept, NULL);
    errno = reason;
}
#endif
