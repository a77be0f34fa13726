// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Some system calls report a failure twice: by their result, and by a signal that ends the process. Around such a call,
// the signal is blocked on the calling thread, and removed if the call raised it; no other thread is affected.

#ifndef CTRACKWAY_HELD_H
#define CTRACKWAY_HELD_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/// Removes a blocked signal that may be pending on this thread.
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
    /// Whether the signal was already pending.
    ///
    /// It then has another cause, and stays pending.
    bool was_pending;
    sigset_t only, kept;
} held_signal;

static inline held_signal ctrackway_hold(int number) {
    held_signal held = {.number = number};
    sigset_t pending;
    sigemptyset(&held.only);
    sigaddset(&held.only, number);
    pthread_sigmask(SIG_BLOCK, &held.only, &held.kept);
    // Only a signal that was already blocked can be pending.
    held.was_pending = sigismember(&held.kept, number) == 1 && sigpending(&pending) == 0 &&
        sigismember(&pending, number) == 1;
    return held;
}

/// Ends holding a signal.
///
/// Preserves errno. `is_raised`: the call failed in a way that raises the signal.
static inline void ctrackway_let_go(held_signal *held, bool is_raised) {
    int reason = errno;
    if (is_raised && !held->was_pending) ctrackway_take_back(held->number, &held->only);
    pthread_sigmask(SIG_SETMASK, &held->kept, NULL);
    errno = reason;
}
#endif
