// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The SDK's own threads and their wake-up events. They receive no signal of the host: all signals are blocked in them
// except those that a thread raises by a fault, so every signal is delivered as it would be without the SDK.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/eventfd.h>
#endif

// MARK: Threads

typedef struct thread_work {
    void (*body)(void *context);
    void *context;
    char name[16];
} thread_work;

static void *run_work(void *argument) {
    thread_work work = *(thread_work *)argument;
    free(argument);
#if defined(__APPLE__)
    pthread_setname_np(work.name);
#elif defined(__GLIBC__)
    pthread_setname_np(pthread_self(), work.name);
#endif
    work.body(work.context);
    return NULL;
}

int ctrackway_thread_start(const char *name, void (*body)(void *context), void *context) {
    thread_work *work = malloc(sizeof *work);
    if (work == NULL) return -1;
    *work = (thread_work){.body = body, .context = context};
    strncpy(work->name, name, sizeof work->name - 1);
    sigset_t ours, saved_mask;
    sigfillset(&ours);
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(&ours, faults[index]);
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code == 0) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        // A new thread inherits the signal mask of its creator.
        pthread_sigmask(SIG_SETMASK, &ours, &saved_mask);
        pthread_t thread;
        code = pthread_create(&thread, &attributes, run_work, work);
        pthread_sigmask(SIG_SETMASK, &saved_mask, NULL);
        pthread_attr_destroy(&attributes);
    }
    if (code == 0) return 0;
    free(work);
    errno = code;
    return -1;
}

void ctrackway_pause(void) { pause(); }

// MARK: Waking

#if defined(__linux__)
int ctrackway_event_open(void) {
    ctrackway_fill_standard();
    return ctrackway_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

void ctrackway_event_signal(int event) {
    uint64_t one = 1;
    ssize_t written;
    do {
        // Fails only after 2^64 signals without a read, but then the event is signaled anyway.
        written = write(event, &one, sizeof one);
    } while (written < 0 && errno == EINTR);
}

void ctrackway_event_clear(int event) {
    uint64_t count;
    ssize_t got;
    do {
        got = read(event, &count, sizeof count);
    } while (got < 0 && errno == EINTR);
}
#endif

// MARK: Standard streams

unsigned ctrackway_reserve_standard_descriptors(void) {
    unsigned reserved = 0;
    for (int stream = 0; stream < 3; stream++) {
        if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
        int file = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (file < 0) break;
        if (file > 2) {
            // Another thread opened the descriptor in the meantime.
            close(file);
            continue;
        }
        reserved |= 1u << file;
    }
    return reserved;
}

void ctrackway_release_standard_descriptors(unsigned reserved) {
    for (int stream = 0; stream < 3; stream++) {
        if (reserved & 1u << stream) close(stream);
    }
}

// MARK: Forks

/// A word that is set in the child of a fork.
typedef struct fork_word {
    uint32_t *word;
    uint32_t value;
    struct fork_word *next;
} fork_word;

static fork_word *fork_words;
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static uint32_t forks;

static void before_fork(void) { pthread_mutex_lock(&fork_lock); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&fork_lock); }
static void after_fork_in_child(void) {
    __atomic_add_fetch(&forks, 1, __ATOMIC_RELEASE);
    for (fork_word *each = fork_words; each != NULL; each = each->next) {
        __atomic_store_n(each->word, each->value, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&fork_lock);
}
static void watch_forks(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

uint32_t ctrackway_fork_count(void) {
    pthread_once(&fork_once, watch_forks);
    return __atomic_load_n(&forks, __ATOMIC_ACQUIRE);
}

void ctrackway_fork_warn(void) {
    static uint32_t warned_fork;
    uint32_t now = ctrackway_fork_count();
    if (__atomic_exchange_n(&warned_fork, now, __ATOMIC_RELAXED) == now) return;
    static const char text[] =
        "Trackway: a forked child used its parent's Analytics, so nothing is recorded. Record in the parent, or call exec "
        "first. This message is written once.\n";
    // Nothing can be done if standard error does not accept the text.
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

void ctrackway_fork_set(uint32_t *word, uint32_t value) {
    pthread_once(&fork_once, watch_forks);
    fork_word *entry = malloc(sizeof *entry);
    if (entry == NULL) return;
    *entry = (fork_word){.word = word, .value = value};
    pthread_mutex_lock(&fork_lock);
    entry->next = fork_words;
    fork_words = entry;
    pthread_mutex_unlock(&fork_lock);
}

void ctrackway_fork_unset(uint32_t *word) {
    pthread_mutex_lock(&fork_lock);
    fork_word **place = &fork_words;
    while (*place != NULL && (*place)->word != word) place = &(*place)->next;
    fork_word *found = *place;
    if (found != NULL) *place = found->next;
    pthread_mutex_unlock(&fork_lock);
    free(found);
}

// MARK: Normal exit

/// The number of threads that use a guarded library.
///
/// Such a library tears itself down when the process exits.
static int using;
static int is_exiting;
static pid_t guarded;
static pthread_once_t guard_once = PTHREAD_ONCE_INIT;

static void close_exit_guard(void) {
    if (getpid() != guarded) return;
    // This handler was registered after the library's, so it runs before it: code that needs the library once more on
    // exit uses it now.
    ctrackway_exit_began();
    __atomic_store_n(&is_exiting, 1, __ATOMIC_SEQ_CST);
    for (int turn = 0; turn < 1000 && __atomic_load_n(&using, __ATOMIC_SEQ_CST) > 0; turn++) {
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
}
static void install_guard(void) {
    guarded = getpid();
    atexit(close_exit_guard);
}

void ctrackway_exit_guard(void) { pthread_once(&guard_once, install_guard); }

bool ctrackway_exit_guard_enter(void) {
    __atomic_add_fetch(&using, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&is_exiting, __ATOMIC_SEQ_CST) == 0) return true;
    __atomic_sub_fetch(&using, 1, __ATOMIC_SEQ_CST);
    return false;
}

void ctrackway_exit_guard_leave(void) { __atomic_sub_fetch(&using, 1, __ATOMIC_SEQ_CST); }
