// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Some system calls report a failure twice: by their result, and by a signal that ends the process. Around such a call,
// the signal is blocked on the calling thread, and removed if the call raised it; no other thread is affected.

#ifndef CTRACKWAY_BLOCKED_SIGNAL_H
#define CTRACKWAY_BLOCKED_SIGNAL_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/// Removes a blocked signal that may be pending on this thread.
static inline void ctrackway_discard_signal(int number, const sigset_t *only) {
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

typedef struct blocked_signal {
    int number;
    /// Whether the signal was already pending.
    ///
    /// It then has another cause, and stays pending.
    bool was_pending;
    sigset_t only, saved_mask;
} blocked_signal;

static inline blocked_signal ctrackway_block_signal(int number) {
    blocked_signal blocked = {.number = number};
    sigset_t pending;
    sigemptyset(&blocked.only);
    sigaddset(&blocked.only, number);
    pthread_sigmask(SIG_BLOCK, &blocked.only, &blocked.saved_mask);
    // Only a signal that was already blocked can be pending.
    blocked.was_pending = sigismember(&blocked.saved_mask, number) == 1 && sigpending(&pending) == 0 &&
        sigismember(&pending, number) == 1;
    return blocked;
}

/// Unblocks a signal.
///
/// Preserves errno. `is_raised`: the call failed in a way that raises the signal.
static inline void ctrackway_unblock_signal(blocked_signal *blocked, bool is_raised) {
    int reason = errno;
    if (is_raised && !blocked->was_pending) ctrackway_discard_signal(blocked->number, &blocked->only);
    pthread_sigmask(SIG_SETMASK, &blocked->saved_mask, NULL);
    errno = reason;
}
#endif
