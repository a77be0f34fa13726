// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The ground the house stands on: system calls that Swift cannot reach portably (variadic calls, macros, per-system
// names) under one name each. No policy lives here. Functions that can fail return -1 (or NULL) and set errno; the
// caller reads it with ctrackway_errno().

#ifndef CTRACKWAY_H
#define CTRACKWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CTrackwayCrash.h"

#if defined(__cplusplus)
extern "C" {
#endif

// MARK: Time

/// Wall clock, milliseconds since 1970-01-01T00:00:00Z.
int64_t ctrackway_wall_milliseconds(void);
/// Milliseconds of time that passed, time asleep included; never goes back within one boot. Counted from the boot, but on Apple's
/// systems from a moment of our own that stays the same as long as the boot's identity does: see ctrackway_disguise_boot.
int64_t ctrackway_monotonic_milliseconds(void);
/// Nanoseconds since boot; for measurements, which nobody sees.
int64_t ctrackway_monotonic_nanoseconds(void);
/// Both clocks, read together.
typedef struct ctrackway_moment {
    int64_t wall_milliseconds;
    int64_t monotonic_milliseconds;
} ctrackway_moment;
ctrackway_moment ctrackway_now(void);
/// Identity of the running boot as text (36 characters and a NUL). On Apple's systems disguised, see below. Returns its length,
/// or -1.
int ctrackway_boot_id(char *buffer, size_t capacity);
/// The same as it may leave the device: on Linux, too, another one for each folder. The folder should exist: all paths of one folder
/// then give one name.
int ctrackway_boot_id_for(const char *folder, char *buffer, size_t capacity);
/// Makes of a boot's name one that says nothing to others: the same for one boot and one place (an app's home folder), and from
/// neither of them can the other be told, nor the name of another place. Also makes a time to be added to the time since the boot, below
/// 2^39 milliseconds, so that how long the system runs is not told by it.
///
/// - id: 36 characters in the form of a UUID, and a NUL.
void ctrackway_disguise_boot(const char *boot, const char *place, char *id, int64_t *shift_milliseconds);
/// SipHash-2-4 of bytes under a key.
uint64_t ctrackway_keyed_hash(const uint64_t key[2], const void *bytes, size_t count);

// MARK: Checksums

/// CRC-32 as zlib's crc32: the sum of bytes that follow those of `sum`, which is 0 at first. `bytes` may be NULL if `count` is 0. Uses the
/// processor's instructions where it has them: PCLMULQDQ on x86-64, CRC32 on ARM.
uint32_t ctrackway_crc32(uint32_t sum, const void *bytes, size_t count);
/// The same without such instructions; exported for tests.
uint32_t ctrackway_crc32_by_table(uint32_t sum, const void *bytes, size_t count);

// MARK: Standard streams

/// Opens those of the descriptors 0, 1 and 2 that are closed, so that a library that is called next gets none of them; which ones.
/// Undone by ctrackway_unplug_standard, at once.
unsigned ctrackway_plug_standard(void);
void ctrackway_unplug_standard(unsigned plugged);

// MARK: Forks

/// The number of forks between the first process that called this and the one that calls it now: another number says that what was
/// made before belongs to a parent. A load.
uint32_t ctrackway_fork_count(void);
/// Writes a line to standard error that says that a forked child called what belongs to its parent; once in each child. Takes no lock.
void ctrackway_fork_tell(void);
/// Has a word set to a value in the child of every fork, before the child goes on.
void ctrackway_fork_set(uint32_t *word, uint32_t value);
/// Ends that.
void ctrackway_fork_forget(uint32_t *word);

// MARK: Randomness

/// Fills the buffer from the kernel's generator; -1 when it cannot.
int ctrackway_random_bytes(void *buffer, size_t count);

// MARK: Lock

/// A non-recursive lock: os_unfair_lock on Apple systems, a futex-based mutex elsewhere. Its memory must not move.
typedef struct ctrackway_lock {
    _Alignas(8) uint8_t storage[64];
} ctrackway_lock;
void ctrackway_lock_init(ctrackway_lock *lock);
void ctrackway_lock_destroy(ctrackway_lock *lock);
void ctrackway_lock_lock(ctrackway_lock *lock);
void ctrackway_lock_unlock(ctrackway_lock *lock);

// MARK: Per-thread buffer

/// A growable byte buffer. The calling thread's own is freed when the thread ends.
typedef struct ctrackway_thread_buffer {
    uint8_t *bytes;
    size_t capacity;
    /// True while a caller further up this thread's stack uses the buffer.
    bool in_use;
} ctrackway_thread_buffer;
/// The calling thread's buffer; NULL only when memory is exhausted. Its capacity may be 0.
ctrackway_thread_buffer *ctrackway_thread_buffer_get(void);
/// Makes room for `capacity` bytes, keeping the content; -1 when memory is exhausted.
int ctrackway_thread_buffer_reserve(ctrackway_thread_buffer *buffer, size_t capacity);
/// Ends the use of a thread's buffer. A buffer that one large use has blown up gives its memory back.
void ctrackway_thread_buffer_release(ctrackway_thread_buffer *buffer);
/// A buffer that belongs to no thread; NULL when memory is exhausted.
ctrackway_thread_buffer *ctrackway_buffer_make(void);
/// Frees a buffer that belongs to no thread.
void ctrackway_buffer_free(ctrackway_thread_buffer *buffer);

// MARK: Numbers

/// Ten to the given power, 0 to 19. Here because a C table is laid out as constants and inlined into Swift.
static inline uint64_t ctrackway_power_of_ten(int exponent) {
    static const uint64_t powers[20] = {
        1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull,
        10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull,
        1000000000000000ull, 10000000000000000ull, 100000000000000000ull, 1000000000000000000ull,
        10000000000000000000ull,
    };
    return powers[exponent];
}
/// Ten to the given power, 0 to 22: the powers a double holds exactly.
static inline double ctrackway_exact_power_of_ten(int exponent) {
    static const double powers[23] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    return powers[exponent];
}

// MARK: Atomics (relaxed unless said otherwise)

static inline uint64_t ctrackway_atomic_fetch_add(uint64_t *value, uint64_t by) {
    return __atomic_fetch_add(value, by, __ATOMIC_RELAXED);
}
/// Publishes a 32-bit word after everything written before it (release order).
void ctrackway_store_release(uint32_t *word, uint32_t value);
/// Reads a published 32-bit word (acquire order).
uint32_t ctrackway_load_acquire(const uint32_t *word);
/// Reads a 64-bit word that other threads write (acquire order); inlined, so that a hot path pays one load.
static inline uint64_t ctrackway_load_acquire_64(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
/// Reads a 64-bit word that other threads write, without an order of other memory; inlined.
static inline uint64_t ctrackway_load_relaxed_64(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}
/// Writes a 64-bit word that other threads read (sequentially consistent order).
static inline void ctrackway_store_64(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/// Copies memory that another thread may be writing, as a reader of a mapped file does: the result may mix old and new
/// bytes, and the caller's format must find that out. Kept out of ThreadSanitizer's sight on purpose.
void ctrackway_copy_shared(void *to, const void *from, size_t count);

// MARK: Files

int ctrackway_errno(void);
/// "full", "denied", "input_output", "missing" or "other".
const char *ctrackway_errno_kind(int number);
/// Opens an existing file for reading.
int ctrackway_open_read(const char *path);
/// Opens (or makes) a file for reading and writing, close-on-exec. `exclusive` fails when it exists.
/// On iOS and its kin the file is open from the first unlocking after the system's start on; one that was stricter is made so.
int ctrackway_open_write(const char *path, bool exclusive);
/// Opens (or makes) a file for reading and writing that is open even before the first unlocking. Nothing of a person's may be
/// written to it: there it lies as good as unencrypted.
int ctrackway_open_write_always(const char *path);
/// Makes a file that was made by others, or an older version, open from the first unlocking on. Does nothing where files have no
/// classes of protection.
int ctrackway_protect(const char *path);
int ctrackway_close(int file);
/// Whole-buffer write at an offset; retries short writes and EINTR.
int ctrackway_write_at(int file, const void *bytes, size_t count, int64_t offset);
/// Up to `count` bytes at an offset; 0 at the end, -1 on error.
int64_t ctrackway_read_at(int file, void *bytes, size_t count, int64_t offset);
int64_t ctrackway_file_size(int file);

/// The length of the file at a path, which is not opened; -1 with errno when it cannot be found out.
int64_t ctrackway_path_size(const char *path);
/// Reserves real disk blocks for the first `size` bytes, so that writing through a mapping cannot run out of space.
int ctrackway_preallocate(int file, int64_t size);
int ctrackway_truncate(int file, int64_t size);
/// Flushes the file's data to stable storage (fdatasync; F_FULLFSYNC on Apple systems).
int ctrackway_synchronize(int file);
/// Keeps the order: what is written later does not reach stable storage before what was written to this file. On Apple's systems
/// a barrier, which costs a fraction of a flush; elsewhere a flush.
int ctrackway_order(int file);
/// Hands what was written through a shared mapping to its file, so that a flush of the file takes it along; `waits` until it is
/// there.
int ctrackway_synchronize_map(void *address, size_t size, bool waits);
/// Flushes a folder's entries to stable storage.
int ctrackway_synchronize_folder(const char *path);
/// Shared, writable mapping of the first `size` bytes; NULL on error.
void *ctrackway_map(int file, size_t size);
int ctrackway_unmap(void *address, size_t size);
/// Faults the pages in ahead of use where the system can; a failure costs speed only.
void ctrackway_populate(void *address, size_t size);
int ctrackway_rename(const char *from, const char *to);
/// Gives a file a name that nobody else has; fails with EEXIST when it is taken.
int ctrackway_rename_new(const char *from, const char *to);
int ctrackway_unlink(const char *path);
int ctrackway_mkdir(const char *path, uint32_t mode);
int ctrackway_rmdir(const char *path);
/// Free bytes on the file system that holds `path`, or -1.
int64_t ctrackway_free_bytes(const char *path);
/// Linux: the kind of the file system that holds `path`, as statfs(2) lists them, or -1. Elsewhere -1.
int64_t ctrackway_file_system(const char *path);
/// 1 when the advisory lock was taken, 0 when somebody else holds it, -1 on error. It ends with the descriptor.
int ctrackway_try_lock_file(int file);

/// Names in a folder, one call per name. The callback's text is valid during the call only. -1 on error.
int ctrackway_list(const char *path, void *context, void (*each)(void *context, const char *name));

// MARK: Network

/// Addresses of the system's network interfaces in the system's order, IPv4 and IPv6, one call per address, without scope
/// ids. The callback's text is valid during the call only. -1 on error.
int ctrackway_list_addresses(
    void *context,
    void (*each)(void *context, const char *address, bool is_up, bool is_loopback)
);

// MARK: Threads

/// Starts a thread of our own, which runs `body` and ends with it. It takes none of the host's signals: all are blocked
/// in it but those a fault brings about. Debuggers show the first 15 bytes of `name`. -1 when there can be no more threads.
int ctrackway_thread_start(const char *name, void (*body)(void *context), void *context);
/// Sleeps until the calling thread meets a signal.
void ctrackway_pause(void);

#if defined(__linux__)
/// A descriptor that can be read once it was signalled, for threads that sleep in `poll`. -1 when there are none left.
int ctrackway_event_open(void);
/// Any thread; never waits.
void ctrackway_event_signal(int event);
/// Makes it unreadable until the next signal.
void ctrackway_event_clear(int event);

// MARK: Watching folders

typedef enum ctrackway_watch_change {
    /// An entry got its name, or lost it.
    ctrackway_watch_entry,
    /// The folder was removed, moved or unmounted: its number says nothing more.
    ctrackway_watch_ended,
    /// More happened than was kept, in any of the folders.
    ctrackway_watch_overflowed,
} ctrackway_watch_change;

/// A descriptor that can be read once something happened in a watched folder. -1 when there is none left.
int ctrackway_watch_open(void);
/// Watches a folder for entries that are renamed to a name in it and, with `is_for_folders`, for those made and removed.
/// Writing into files is not told. Returns the folder's number, the same one for the same folder; -1 with ENOTSUP on a
/// network's file system, where others' changes go untold.
int ctrackway_watch_add(int watch, const char *folder, bool is_for_folders);
/// Watches a folder no more. What happened before may still be told.
void ctrackway_watch_remove(int watch, int number);
/// Sleeps until the watch can be read or the event was signalled; may return for nothing.
void ctrackway_watch_wait(int watch, int event);
/// Tells everything that has happened, one call each; returns without waiting. The name is valid during the call only. -1
/// when the descriptor cannot be read any more.
int ctrackway_watch_read(
    int watch,
    void *context,
    void (*each)(void *context, int number, ctrackway_watch_change change, const char *name)
);
#endif

/// Libraries that tear themselves down when the process exits must not be used meanwhile. Call this once after such a
/// library was made ready, and use it between enter and leave: the exit then waits, a second at most, until nobody does.
void ctrackway_exit_guard(void);
/// False once the process exits: the library must be left alone for good.
bool ctrackway_exit_guard_enter(void);
void ctrackway_exit_guard_leave(void);

// MARK: Process

#if !defined(__APPLE__)
/// The value of a variable of the environment; NULL when there is none. Valid until somebody changes the environment.
const char *ctrackway_environment(const char *name);
/// Names and values of the environment, one call per `NAME=value`. The callback's text is valid during the call only.
void ctrackway_list_environment(void *context, void (*each)(void *context, const char *entry));
#endif
int32_t ctrackway_process_id(void);
/// Whether a process of this number lives, whoever's it is.
bool ctrackway_process_lives(int32_t process);
/// Whether the process belongs to the group that its terminal gives its keys to: 1 when it does, 0 when it runs behind
/// another one there, -1 when it has no terminal.
int ctrackway_has_terminal(void);

// MARK: Launch

/// What the system's scheduler took the process for: 1 an app in front, 2 one that works unseen, 3 one that is prewarmed,
/// 0 where it does not say. Apple's phones and tablets alone say; it must not be asked on televisions and watches.
int ctrackway_launch_role(void);
/// Whether the system announced, as the process began, that it prewarms.
bool ctrackway_was_prewarmed(void);
/// A number this process has not handed out before; for names of temporary files.
uint64_t ctrackway_next_number(void);

// MARK: Signals and normal exit (one set per process; calls to start, watch and unwatch must not overlap)

/// Starts the thread that is told about watched signals: `body` gets the signal's number and whether its default action
/// is owed because nobody else handles it (see ctrackway_signals_finish), one call after the other; number 0 is a post.
/// Started once; later calls do nothing. -1 when the thread or its pipe cannot be made.
int ctrackway_signals_start(void (*body)(int number, bool owes_default));
/// Sees a signal from now on; whoever handled it before still does. 1 when watched, 0 when the process ignores the
/// signal on purpose (it stays ignored), -1 on error.
int ctrackway_signals_watch(int number);
/// Gives a signal back to its previous handler, unless somebody has put another handler on top.
void ctrackway_signals_unwatch(int number);
/// Calls the thread's body with number 0, after the signals already waiting. -1 when that is impossible.
int ctrackway_signals_post(void);
/// Carries out the default action: ends or stops the process with the signal's own wait status. Returns after a stop
/// once the process is continued. Call it on the thread of ctrackway_signals_start only.
void ctrackway_signals_finish(int number);
/// Whether the caller runs on the thread of ctrackway_signals_start.
bool ctrackway_signals_is_reader(void);
/// Calls back when the process exits normally (exit, or return from main), on the exiting thread. One callback only.
/// Runs before any guarded library (ctrackway_exit_guard) is left alone.
void ctrackway_on_exit(void (*callback)(void));
/// Makes the call of ctrackway_on_exit now, once; what guards a library from the exit calls it first.
void ctrackway_exit_began(void);

// MARK: Databases of others

/// A database that somebody else made. It is read with the system's own SQLite, which is looked for when one is opened: nothing is linked.
/// One thread at a time.
typedef struct ctrackway_database ctrackway_database;
/// Opens a database. NULL when it cannot be opened: `*code` is then SQLite's number, or -1 when the system has no SQLite, or another
/// one than we know. Opening finishes or takes back what was under way in it, so it must be a copy of one's own.
ctrackway_database *ctrackway_database_open(const char *path, int32_t *code);
/// Asks a question, and forgets the one before. Its parameters are numbered: 1 and 2 get the two numbers, where it has them.
/// Returns 0, or SQLite's number.
int32_t ctrackway_database_ask(ctrackway_database *database, const char *question, int64_t first, int64_t second);
/// Goes to the next row: 1 when there is one, 0 when there is none any more, else SQLite's number as a negative one.
int32_t ctrackway_database_next(ctrackway_database *database);
/// A column of the row as a number; 0 when it is none.
int64_t ctrackway_database_number(ctrackway_database *database, int32_t column);
/// A column of the row as bytes of text, valid until the next call; NULL when it is no text.
const void *ctrackway_database_text(ctrackway_database *database, int32_t column, int64_t *count);
void ctrackway_database_close(ctrackway_database *database);

// MARK: Standard error

/// Writes a short text to standard error if that is possible at once; never waits, never raises SIGPIPE. -1 otherwise.
int ctrackway_write_standard_error(const char *text, size_t count);

#if defined(__cplusplus)
}
#endif
#endif
