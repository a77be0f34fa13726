// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Portability shims: system calls that Swift cannot call portably (variadic calls, macros, system-specific names),
// under one name each. They contain no policy. Functions that can fail return -1 (or NULL) and set errno, which the
// caller reads with ctrackway_errno().

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

/// The wall clock: milliseconds since 1970-01-01T00:00:00Z.
int64_t ctrackway_wall_milliseconds(void);
/// The monotonic clock in milliseconds, including sleep.
///
/// It never goes back within one boot. It counts from the boot, but on Apple systems from an artificial origin that
/// changes only with the boot id: see ctrackway_disguise_boot.
int64_t ctrackway_monotonic_milliseconds(void);
/// Nanoseconds since boot, for measurements that are not exposed.
int64_t ctrackway_monotonic_nanoseconds(void);
/// Both clocks, read together.
typedef struct ctrackway_dual_time {
    int64_t wall_milliseconds;
    int64_t monotonic_milliseconds;
} ctrackway_dual_time;
ctrackway_dual_time ctrackway_now(void);
/// Writes the id of the running boot, 36 characters and a NUL.
///
/// Returns its length, or -1. On Apple systems, the id is disguised; see ctrackway_disguise_boot.
int ctrackway_boot_id(char *buffer, size_t capacity);
/// Writes a boot id that may leave the device.
///
/// It differs for each folder, also on Linux. The folder should exist, so that all paths of one folder result in the
/// same id.
int ctrackway_boot_id_for(const char *folder, char *buffer, size_t capacity);
/// Derives a boot id that does not reveal the real one.
///
/// The id is the same for one boot and one place (an app's home folder). Neither of them, nor the id of another place,
/// can be derived from it. Also derives an offset for the time since boot, below 2^39 milliseconds, so that the offset
/// time does not reveal the system's uptime.
///
/// - id: 36 characters in the form of a UUID, and a NUL.
void ctrackway_disguise_boot(const char *boot, const char *place, char *id, int64_t *shift_milliseconds);
/// Returns SipHash-2-4 of bytes with a key.
uint64_t ctrackway_keyed_hash(const uint64_t key[2], const void *bytes, size_t count);

// MARK: Checksums

/// CRC-32 as in zlib's crc32.
///
/// `sum` is the checksum of the preceding bytes, 0 at the start. `bytes` may be NULL if `count` is 0. Uses processor
/// instructions if available: PCLMULQDQ on x86-64, CRC32 on ARM.
uint32_t ctrackway_crc32(uint32_t sum, const void *bytes, size_t count);
/// The same without these instructions; exported for tests.
uint32_t ctrackway_crc32_by_table(uint32_t sum, const void *bytes, size_t count);

// MARK: Standard streams

/// Opens the descriptors 0, 1 and 2 if they are closed.
///
/// Returns the opened ones as a bit mask. A library that is called next cannot open them then. Undo this immediately
/// with ctrackway_release_standard_descriptors.
unsigned ctrackway_reserve_standard_descriptors(void);
void ctrackway_release_standard_descriptors(unsigned reserved);

// MARK: Forks

/// Returns the number of forks since the first caller's process.
///
/// A different number means that objects created before belong to a parent process. The call costs one load.
uint32_t ctrackway_fork_count(void);
/// Warns on standard error that a forked child used a parent's object.
///
/// Warns once in each child. Takes no lock.
void ctrackway_fork_warn(void);
/// Sets a word in the child of every fork.
///
/// The word has the value before the child continues.
void ctrackway_fork_set(uint32_t *word, uint32_t value);
/// Stops setting the word.
void ctrackway_fork_unset(uint32_t *word);

// MARK: Randomness

/// Fills the buffer from the kernel's random generator.
///
/// Returns -1 if that fails.
int ctrackway_random_bytes(void *buffer, size_t count);

// MARK: Lock

/// A non-recursive lock, whose memory must not move.
///
/// It is os_unfair_lock on Apple systems, a futex-based mutex elsewhere.
typedef struct ctrackway_lock {
    _Alignas(8) uint8_t storage[64];
} ctrackway_lock;
void ctrackway_lock_init(ctrackway_lock *lock);
void ctrackway_lock_destroy(ctrackway_lock *lock);
void ctrackway_lock_lock(ctrackway_lock *lock);
void ctrackway_lock_unlock(ctrackway_lock *lock);

// MARK: Per-thread buffer

/// A growable byte buffer.
///
/// A thread's buffer is freed when the thread ends.
typedef struct ctrackway_thread_buffer {
    uint8_t *bytes;
    size_t capacity;
    /// True while a caller further up this thread's stack uses the buffer.
    bool in_use;
} ctrackway_thread_buffer;
/// Returns the calling thread's buffer, or NULL only if memory is exhausted.
///
/// Its capacity may be 0.
ctrackway_thread_buffer *ctrackway_thread_buffer_get(void);
/// Reserves `capacity` bytes and keeps the content.
///
/// Returns -1 if memory is exhausted.
int ctrackway_thread_buffer_reserve(ctrackway_thread_buffer *buffer, size_t capacity);
/// Ends the use of a thread's buffer.
///
/// A buffer that has grown very large frees its memory.
void ctrackway_thread_buffer_release(ctrackway_thread_buffer *buffer);
/// Creates a buffer that belongs to no thread.
///
/// Returns NULL if memory is exhausted.
ctrackway_thread_buffer *ctrackway_buffer_make(void);
/// Frees a buffer that belongs to no thread.
void ctrackway_buffer_free(ctrackway_thread_buffer *buffer);

// MARK: Numbers

/// Returns ten to the given power, 0 to 19.
///
/// It is written in C, because a C table is laid out as constants and inlined into Swift.
static inline uint64_t ctrackway_power_of_ten(int exponent) {
    static const uint64_t powers[20] = {
        1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull,
        10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull,
        1000000000000000ull, 10000000000000000ull, 100000000000000000ull, 1000000000000000000ull,
        10000000000000000000ull,
    };
    return powers[exponent];
}
/// Returns ten to the given power, 0 to 22.
///
/// A double represents these powers exactly.
static inline double ctrackway_exact_power_of_ten(int exponent) {
    static const double powers[23] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    return powers[exponent];
}

// MARK: Atomics (relaxed unless stated otherwise)

static inline uint64_t ctrackway_atomic_fetch_add(uint64_t *value, uint64_t by) {
    return __atomic_fetch_add(value, by, __ATOMIC_RELAXED);
}
/// Publishes a 32-bit word (release order).
///
/// Everything written before it is visible to readers of the word.
void ctrackway_store_release(uint32_t *word, uint32_t value);
/// Reads a published 32-bit word (acquire order).
uint32_t ctrackway_load_acquire(const uint32_t *word);
/// Reads a 64-bit word that other threads write (acquire order).
///
/// Inlined, so that a hot path costs one load.
static inline uint64_t ctrackway_load_acquire_64(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
/// Reads a 64-bit word that other threads write (relaxed order).
///
/// Does not order other memory accesses. Inlined.
static inline uint64_t ctrackway_load_relaxed_64(const uint64_t *word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}
/// Writes a 64-bit word that other threads read (sequentially consistent order).
static inline void ctrackway_store_64(uint64_t *word, uint64_t value) {
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/// Copies memory that another thread may be writing.
///
/// It is for readers of a mapped file. The result may mix old and new bytes, which the caller's format must detect.
/// Intentionally hidden from ThreadSanitizer.
void ctrackway_copy_shared(void *to, const void *from, size_t count);

// MARK: Files

int ctrackway_errno(void);
/// Returns the kind of an error.
///
/// It is "full", "denied", "input_output", "missing" or "other".
const char *ctrackway_errno_kind(int number);
/// Opens an existing file for reading.
int ctrackway_open_read(const char *path);
/// Opens or creates a file for reading and writing, close-on-exec.
///
/// With `exclusive`, fails if the file exists. On iOS and related systems, the file is accessible after the first
/// unlock since the system's start; an existing file with a stricter class is changed to that.
int ctrackway_open_write(const char *path, bool exclusive);
/// Opens or creates a file that is accessible before the first unlock.
///
/// The file is opened for reading and writing. Never write personal data to it, because it is practically unencrypted.
int ctrackway_open_write_always(const char *path);
/// Makes an existing file accessible after the first unlock.
///
/// Call it for a file created by other software or an older version. Does nothing on systems without protection
/// classes.
int ctrackway_protect(const char *path);
int ctrackway_close(int file);
/// Writes a whole buffer at an offset; retries short writes and EINTR.
int ctrackway_write_at(int file, const void *bytes, size_t count, int64_t offset);
/// Reads up to `count` bytes at an offset.
///
/// Returns the number of bytes, 0 at the end, -1 on error.
int64_t ctrackway_read_at(int file, void *bytes, size_t count, int64_t offset);
int64_t ctrackway_file_size(int file);

/// Returns the length of the file at a path without opening it.
///
/// Returns -1 on failure.
int64_t ctrackway_path_size(const char *path);
/// Reserves real disk blocks for the first `size` bytes.
///
/// Writing through a mapping cannot run out of space then.
int ctrackway_preallocate(int file, int64_t size);
int ctrackway_truncate(int file, int64_t size);
/// Flushes the file's data to stable storage (fdatasync; F_FULLFSYNC on Apple systems).
int ctrackway_synchronize(int file);
/// Orders writes to stable storage.
///
/// Later writes do not reach it before earlier writes to this file. On Apple systems, this is a barrier, which costs a
/// fraction of a flush; elsewhere it is a flush.
int ctrackway_order(int file);
/// Writes changes of a shared mapping to its file.
///
/// A later flush of the file includes them. With `waits`, returns after they were written.
int ctrackway_synchronize_map(void *address, size_t size, bool waits);
/// Flushes a folder's entries to stable storage.
int ctrackway_synchronize_folder(const char *path);
/// Creates a shared, writable mapping of the first `size` bytes.
///
/// Returns NULL on error.
void *ctrackway_map(int file, size_t size);
int ctrackway_unmap(void *address, size_t size);
/// Faults the pages in before use if the system supports it.
///
/// A failure only costs speed.
void ctrackway_populate(void *address, size_t size);
int ctrackway_rename(const char *from, const char *to);
/// Renames a file without replacing another one.
///
/// Fails with EEXIST if the name exists.
int ctrackway_rename_exclusive(const char *from, const char *to);
int ctrackway_unlink(const char *path);
int ctrackway_mkdir(const char *path, uint32_t mode);
int ctrackway_rmdir(const char *path);
/// Returns the free bytes on the file system of `path`, or -1.
int64_t ctrackway_free_bytes(const char *path);
/// Returns the type of the file system of `path`, or -1.
///
/// The types are listed in statfs(2). On systems other than Linux, always -1.
int64_t ctrackway_file_system(const char *path);
/// Tries to acquire the advisory lock of a file.
///
/// Returns 1 if it was acquired, 0 if another process holds it, -1 on error. The lock is released with the descriptor.
int ctrackway_try_lock_file(int file);

/// Calls back with each name in a folder.
///
/// The callback's text is valid only during the call. Returns -1 on error.
int ctrackway_list(const char *path, void *context, void (*each)(void *context, const char *name));

// MARK: Network

/// Calls back with each address of the system's network interfaces.
///
/// They are IPv4 and IPv6 addresses in the system's order, without scope ids. The callback's text is valid only during
/// the call. Returns -1 on error.
int ctrackway_list_addresses(
    void *context,
    void (*each)(void *context, const char *address, bool is_up, bool is_loopback)
);

// MARK: Threads

/// Starts a thread that runs `body` and ends with it.
///
/// All signals are blocked in it, except those that a fault raises, so it receives none of the host's signals.
/// Debuggers show the first 15 bytes of `name`. Returns -1 if the process cannot create more threads.
int ctrackway_thread_start(const char *name, void (*body)(void *context), void *context);
/// Sleeps until the calling thread receives a signal.
void ctrackway_pause(void);

#if defined(__linux__)
/// Opens a descriptor that is readable after it was signaled.
///
/// It is for threads that sleep in `poll`. Returns -1 if no descriptor is available.
int ctrackway_event_open(void);
/// Signals the descriptor.
///
/// Callable from any thread; never waits.
void ctrackway_event_signal(int event);
/// Makes the descriptor unreadable until the next signal.
void ctrackway_event_clear(int event);

// MARK: Watching folders

typedef enum ctrackway_watch_change {
    /// An entry was added or removed under a name.
    ctrackway_watch_entry,
    /// The folder was removed, moved or unmounted.
    ///
    /// Its number is no longer valid.
    ctrackway_watch_ended,
    /// More changes occurred than could be queued, in any of the folders.
    ctrackway_watch_overflowed,
} ctrackway_watch_change;

/// Opens a descriptor that is readable after a watched folder changed.
///
/// Returns -1 if no descriptor is available.
int ctrackway_watch_open(void);
/// Watches a folder for entries that are renamed into it.
///
/// With `is_for_folders`, also for entries that are created and removed. Writes to files are not reported. Returns the
/// folder's number, the same one for the same folder, or -1: with ENOTSUP on a network file system, where changes by
/// other machines are not reported.
int ctrackway_watch_add(int watch, const char *folder, bool is_for_folders);
/// Stops watching a folder.
///
/// Earlier changes may still be reported.
void ctrackway_watch_remove(int watch, int number);
/// Sleeps until the watch is readable or the event is signaled.
///
/// May return spuriously.
void ctrackway_watch_wait(int watch, int event);
/// Reports all changes so far, one call each, and returns without waiting.
///
/// The name is valid only during the call. Returns -1 if the descriptor is no longer readable.
int ctrackway_watch_read(
    int watch,
    void *context,
    void (*each)(void *context, int number, ctrackway_watch_change change, const char *name)
);
#endif

/// Guards a library that tears itself down when the process exits.
///
/// Such a library must not be used during the exit. Call this once after the library was initialized, and use the
/// library only between enter and leave: the exit then waits, at most one second, until no thread uses it.
void ctrackway_exit_guard(void);
/// Begins to use a guarded library.
///
/// Returns false after the exit began. The library must then no longer be used.
bool ctrackway_exit_guard_enter(void);
void ctrackway_exit_guard_leave(void);

// MARK: Process

#if !defined(__APPLE__)
/// Returns the value of an environment variable, or NULL.
///
/// Valid until the environment is changed.
const char *ctrackway_environment(const char *name);
/// Calls back with each `NAME=value` of the environment.
///
/// The callback's text is valid only during the call.
void ctrackway_list_environment(void *context, void (*each)(void *context, const char *entry));
#endif
int32_t ctrackway_process_id(void);
/// Whether a process with this id exists, regardless of its user.
bool ctrackway_process_is_alive(int32_t process);
/// Whether the process is in the foreground process group of its terminal.
///
/// 1 if it is, 0 if it is in the background, -1 if it has no terminal.
int ctrackway_has_terminal(void);

// MARK: Launch

/// Returns the role that the system's scheduler assigned to the process.
///
/// 1 is a foreground app, 2 a background app, 3 a prewarmed app, 0 unknown. Only iPhones and iPads report it; the
/// system call is not allowed on tvOS and watchOS.
int ctrackway_launch_role(void);
/// Whether the system prewarmed the process.
///
/// The system indicates this at the start of the process.
bool ctrackway_was_prewarmed(void);
/// Returns a number that is unique within this process.
///
/// It is for the names of temporary files.
uint64_t ctrackway_next_number(void);

// MARK: Signals and normal exit (one set per process; calls to start, watch and unwatch must not overlap)

/// Starts the thread that receives watched signals.
///
/// `body` is called with one signal number at a time, and whether the default action is owed because no other handler
/// exists (see ctrackway_signals_finish). Number 0 is from ctrackway_signals_post. The thread starts once; later calls
/// have no effect. Returns -1 if the thread or its pipe cannot be created.
int ctrackway_signals_start(void (*body)(int number, bool owes_default));
/// Watches a signal; a previous handler is still called.
///
/// Returns 1 if it is watched, 0 if the process ignores the signal on purpose (it stays ignored), -1 on error.
int ctrackway_signals_watch(int number);
/// Restores the previous handler of a signal.
///
/// Has no effect if another handler was installed on top.
void ctrackway_signals_unwatch(int number);
/// Calls the thread's body with number 0.
///
/// The call follows the signals that are already queued. Returns -1 if that fails.
int ctrackway_signals_post(void);
/// Performs the default action of a signal.
///
/// The process ends or stops with the signal's own wait status. After a stop, the function returns when the process is
/// continued. Call it only on the thread of ctrackway_signals_start.
void ctrackway_signals_finish(int number);
/// Whether the caller runs on the thread of ctrackway_signals_start.
bool ctrackway_signals_is_reader(void);
/// Registers a callback for the normal exit of the process.
///
/// A normal exit is a call of exit, or a return from main. The callback runs on the exiting thread, before the guarded
/// libraries (ctrackway_exit_guard) become unusable. Only one callback is supported.
void ctrackway_on_exit(void (*callback)(void));
/// Calls the callback of ctrackway_on_exit now, but only once.
///
/// Exit guards call it first.
void ctrackway_exit_began(void);

// MARK: Databases of other software

/// A database of other software, read with the system's SQLite.
///
/// SQLite is loaded when a database is opened; it is not linked. Use a database from one thread at a time.
typedef struct ctrackway_database ctrackway_database;
/// Opens a database.
///
/// Returns NULL on failure; `*code` is then SQLite's error code, or -1 if the system has no SQLite or an incompatible
/// one. Opening a database finishes or rolls back its unfinished transactions, so it must be a private copy.
ctrackway_database *ctrackway_database_open(const char *path, int32_t *code);
/// Prepares a query and discards the previous one.
///
/// Its parameters are numbered: 1 and 2 are bound to the two numbers, if they exist. Returns 0, or SQLite's error code.
int32_t ctrackway_database_query(ctrackway_database *database, const char *query, int64_t first, int64_t second);
/// Advances to the next row.
///
/// Returns 1 if a row exists, 0 after the last row, otherwise SQLite's error code as a negative number.
int32_t ctrackway_database_next(ctrackway_database *database);
/// Returns a column of the row as a number.
///
/// Returns 0 if it is not a number.
int64_t ctrackway_database_number(ctrackway_database *database, int32_t column);
/// Returns a column of the row as bytes of text.
///
/// The text is valid until the next call. Returns NULL if the column is not text.
const void *ctrackway_database_text(ctrackway_database *database, int32_t column, int64_t *count);
void ctrackway_database_close(ctrackway_database *database);

// MARK: Standard error

/// Writes a short text to standard error without waiting.
///
/// Never raises SIGPIPE. Returns -1 if the text cannot be written immediately.
int ctrackway_write_standard_error(const char *text, size_t count);

#if defined(__cplusplus)
}
#endif
#endif
