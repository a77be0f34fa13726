// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "clock.h"
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <os/lock.h>
#include <sys/sysctl.h>
#include <sys/time.h>
#else
#include <sys/random.h>
#endif

// MARK: Time

#if defined(__APPLE__)
int64_t ctrackway_monotonic_shift_milliseconds = 0;
static char disguised_boot[37];
static pthread_once_t disguise_once = PTHREAD_ONCE_INIT;

static void disguise(void) {
    char boot[64] = "";
    size_t length = sizeof boot - 1;
    // kern.bootsessionuuid is generated at every boot, and is the same for every app.
    if (sysctlbyname("kern.bootsessionuuid", boot, &length, NULL, 0) != 0 || boot[0] == 0) return;
    const char *home = getenv("HOME");
    const char *program = getprogname();
    char place[1024];
    snprintf(place, sizeof place, "%s\n%s", home == NULL ? "" : home, program == NULL ? "" : program);
    ctrackway_disguise_boot(boot, place, disguised_boot, &ctrackway_monotonic_shift_milliseconds);
}

static int64_t shift_milliseconds(void) {
    pthread_once(&disguise_once, disguise);
    return ctrackway_monotonic_shift_milliseconds;
}
#define CTRACKWAY_SHIFTED(milliseconds) ((milliseconds) + shift_milliseconds())
#else
#define CTRACKWAY_SHIFTED(milliseconds) (milliseconds)
#endif

int64_t ctrackway_wall_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t ctrackway_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CTRACKWAY_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t ctrackway_monotonic_milliseconds(void) {
    return CTRACKWAY_SHIFTED(ctrackway_monotonic_nanoseconds() / 1000000);
}

ctrackway_dual_time ctrackway_now(void) {
    struct timespec wall, monotonic;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CTRACKWAY_MONOTONIC, &monotonic);
    return (ctrackway_dual_time){
        .wall_milliseconds = (int64_t)wall.tv_sec * 1000 + wall.tv_nsec / 1000000,
        .monotonic_milliseconds =
            CTRACKWAY_SHIFTED((int64_t)monotonic.tv_sec * 1000 + monotonic.tv_nsec / 1000000),
    };
}

int ctrackway_boot_id(char *buffer, size_t capacity) {
#if defined(__APPLE__)
    pthread_once(&disguise_once, disguise);
    size_t length = strlen(disguised_boot);
    if (length == 0 || length >= capacity) return -1;
    memcpy(buffer, disguised_boot, length + 1);
    return (int)length;
#else
    ctrackway_fill_standard();
    int file = ctrackway_above_standard(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (file < 0) return -1;
    ssize_t got = read(file, buffer, capacity > 0 ? capacity - 1 : 0);
    close(file);
    if (got <= 0) return -1;
    while (got > 0 && buffer[got - 1] == '\n') got--;
    buffer[got] = 0;
    return (int)got;
#endif
}

int ctrackway_boot_id_for(const char *folder, char *buffer, size_t capacity) {
#if defined(__APPLE__)
    (void)folder;
    return ctrackway_boot_id(buffer, capacity);
#else
    char boot[64], place[PATH_MAX], id[37];
    if (ctrackway_boot_id(boot, sizeof boot) <= 0 || capacity < sizeof id) return -1;
    // A folder may have several paths, and all its processes must derive the same id.
    if (realpath(folder, place) == NULL) snprintf(place, sizeof place, "%s", folder);
    int64_t shift;
    ctrackway_disguise_boot(boot, place, id, &shift);
    memcpy(buffer, id, sizeof id);
    return (int)strlen(id);
#endif
}

// MARK: Randomness

int ctrackway_random_bytes(void *buffer, size_t count) {
#if defined(__APPLE__)
    // Seeded by the kernel, and never fails. `getentropy` is rejected in apps on these systems as a non-public symbol.
    arc4random_buf(buffer, count);
    return 0;
#else
    uint8_t *to = buffer;
    while (count > 0) {
        size_t step = count < 256 ? count : 256;  // getentropy's limit
        if (getentropy(to, step) != 0) return -1;
        to += step;
        count -= step;
    }
    return 0;
#endif
}

// MARK: Lock

#if defined(__APPLE__)
_Static_assert(sizeof(os_unfair_lock) <= sizeof(ctrackway_lock), "the lock must fit its storage");
void ctrackway_lock_init(ctrackway_lock *lock) {
    *(os_unfair_lock *)(void *)lock->storage = OS_UNFAIR_LOCK_INIT;
}
void ctrackway_lock_destroy(ctrackway_lock *lock) { (void)lock; }
void ctrackway_lock_lock(ctrackway_lock *lock) { os_unfair_lock_lock((os_unfair_lock *)(void *)lock->storage); }
void ctrackway_lock_unlock(ctrackway_lock *lock) { os_unfair_lock_unlock((os_unfair_lock *)(void *)lock->storage); }
#else
_Static_assert(sizeof(pthread_mutex_t) <= sizeof(ctrackway_lock), "the lock must fit its storage");
void ctrackway_lock_init(ctrackway_lock *lock) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#if defined(__GLIBC__)
    // Spins briefly before it sleeps: our critical sections are shorter than a system call.
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init((pthread_mutex_t *)(void *)lock->storage, &attributes);
    pthread_mutexattr_destroy(&attributes);
}
void ctrackway_lock_destroy(ctrackway_lock *lock) { pthread_mutex_destroy((pthread_mutex_t *)(void *)lock->storage); }
void ctrackway_lock_lock(ctrackway_lock *lock) { pthread_mutex_lock((pthread_mutex_t *)(void *)lock->storage); }
void ctrackway_lock_unlock(ctrackway_lock *lock) { pthread_mutex_unlock((pthread_mutex_t *)(void *)lock->storage); }
#endif

// MARK: Per-thread buffer

static pthread_key_t buffer_key;
static pthread_once_t buffer_once = PTHREAD_ONCE_INIT;
static _Thread_local ctrackway_thread_buffer *thread_buffer;

static void free_buffer(void *value) {
    ctrackway_thread_buffer *buffer = value;
    // A destructor that runs later on this thread may record an event; it then gets a new buffer.
    thread_buffer = NULL;
    free(buffer->bytes);
    free(buffer);
}
static void make_buffer_key(void) { pthread_key_create(&buffer_key, free_buffer); }

ctrackway_thread_buffer *ctrackway_thread_buffer_get(void) {
    if (thread_buffer != NULL) return thread_buffer;
    pthread_once(&buffer_once, make_buffer_key);
    ctrackway_thread_buffer *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL) return NULL;
    if (pthread_setspecific(buffer_key, fresh) != 0) {
        free(fresh);
        return NULL;
    }
    thread_buffer = fresh;
    return fresh;
}

int ctrackway_thread_buffer_reserve(ctrackway_thread_buffer *buffer, size_t capacity) {
    if (buffer->capacity >= capacity) return 0;
    size_t next = buffer->capacity == 0 ? 4096 : buffer->capacity;
    while (next < capacity) next *= 2;
    uint8_t *bytes = realloc(buffer->bytes, next);
    if (bytes == NULL) return -1;
    buffer->bytes = bytes;
    buffer->capacity = next;
    return 0;
}

void ctrackway_thread_buffer_release(ctrackway_thread_buffer *buffer) {
    if (buffer->capacity > 256 * 1024) {
        free(buffer->bytes);
        buffer->bytes = NULL;
        buffer->capacity = 0;
    }
    buffer->in_use = false;
}

ctrackway_thread_buffer *ctrackway_buffer_make(void) { return calloc(1, sizeof(ctrackway_thread_buffer)); }

void ctrackway_buffer_free(ctrackway_thread_buffer *buffer) {
    if (buffer == NULL) return;
    free(buffer->bytes);
    free(buffer);
}

// MARK: Atomics

void ctrackway_store_release(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
uint32_t ctrackway_load_acquire(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

#if defined(__clang__)
__attribute__((no_sanitize("thread")))
#endif
void ctrackway_copy_shared(void *to, const void *from, size_t count) {
    // `volatile` prevents the compiler from replacing the loops with memcpy, which ThreadSanitizer would check.
    uint8_t *target = to;
    const volatile uint8_t *source = from;
    size_t index = 0;
    if ((((uintptr_t)target | (uintptr_t)source) & 7) == 0) {
        for (; index + 8 <= count; index += 8) {
            *(uint64_t *)(void *)(target + index) = *(const volatile uint64_t *)(const volatile void *)(source + index);
        }
    }
    for (; index < count; index++) target[index] = source[index];
}

// MARK: Process

#if !defined(__APPLE__)
extern char **environ;

const char *ctrackway_environment(const char *name) { return getenv(name); }

void ctrackway_list_environment(void *context, void (*each)(void *context, const char *entry)) {
    for (size_t index = 0; environ != NULL && environ[index] != NULL; index++) each(context, environ[index]);
}
#endif

int32_t ctrackway_process_id(void) { return (int32_t)getpid(); }

bool ctrackway_process_is_alive(int32_t process) {
    // No signal is sent. If the process exists but access is not permitted, the error is EPERM.
    return process > 0 && (kill((pid_t)process, 0) == 0 || errno != ESRCH);
}

uint64_t ctrackway_next_number(void) {
    static uint64_t next;
    return __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
}

int ctrackway_has_terminal(void) {
    ctrackway_fill_standard();
    int terminal;
    do {
        terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    } while (terminal < 0 && errno == EINTR);
    terminal = ctrackway_above_standard(terminal);
    if (terminal < 0) return -1;
    pid_t group = tcgetpgrp(terminal);
    close(terminal);
    if (group < 0) return -1;
    return group == getpgrp() ? 1 : 0;
}
