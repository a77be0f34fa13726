// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "descriptors.h"
#include "blocked_signal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

int ctrackway_errno(void) { return errno; }

const char *ctrackway_errno_kind(int number) {
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:  // The file would exceed the process's size limit: no more space.
        return "full";
    case EACCES:
    case EPERM:
    case EROFS:
        return "denied";
    case EIO:
        return "input_output";
    case ENOENT:
        return "missing";
    default:
        return "other";
    }
}

static void fill_standard(void) {
    int file;
    do {
        do {
            file = open("/dev/null", O_RDWR);
        } while (file < 0 && errno == EINTR);
    } while (file >= 0 && file < 2);
    // All of them are open now, or no descriptor is available for them.
    if (file > 2) close(file);
}

void ctrackway_fill_standard(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int reason = errno;
    pthread_once(&once, fill_standard);
    errno = reason;
}

int ctrackway_open_read(const char *path) {
    ctrackway_fill_standard();
    int file;
    do {
        file = open(path, O_RDONLY | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    return ctrackway_above_standard(file);
}

#if defined(__APPLE__) && TARGET_OS_IPHONE && !TARGET_OS_SIMULATOR
#define CTRACKWAY_HAS_CLASSES 1
#else
#define CTRACKWAY_HAS_CLASSES 0
#endif

/// Opens a file for writing.
///
/// `protection` is the file's protection class on systems with such classes: class 3 is accessible after the first
/// unlock, class 4 always.
static int open_write(const char *path, bool exclusive, int protection) {
    ctrackway_fill_standard();
    int file;
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : 0);
    do {
#if CTRACKWAY_HAS_CLASSES
        // The class applies from the file's first byte on. With the app's default, which may be stricter, the pages of
        // a mapped file become inaccessible when the device is locked, and a process that writes to them is terminated.
        file = open_dprotected_np(path, flags, protection, 0, 0600);
#else
        file = open(path, flags, 0600);
#endif
    } while (file < 0 && errno == EINTR);
    file = ctrackway_above_standard(file);
#if CTRACKWAY_HAS_CLASSES
    // An existing file has the class with which it was created. Change it only if necessary.
    if (file >= 0 && !exclusive && fcntl(file, F_GETPROTECTIONCLASS) != protection) {
        (void)fcntl(file, F_SETPROTECTIONCLASS, protection);
    }
#else
    (void)protection;
#endif
    return file;
}

int ctrackway_open_write(const char *path, bool exclusive) { return open_write(path, exclusive, 3); }

int ctrackway_open_write_always(const char *path) { return open_write(path, false, 4); }

int ctrackway_protect(const char *path) {
#if CTRACKWAY_HAS_CLASSES
    int file;
    do {
        file = open(path, O_RDONLY | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    file = ctrackway_above_standard(file);
    if (file < 0) return -1;
    int code = 0;
    int class = fcntl(file, F_GETPROTECTIONCLASS);
    // Class 4 is correct for files written before the first unlock.
    if (class != 3 && class != 4) code = fcntl(file, F_SETPROTECTIONCLASS, 3);
    int reason = errno;
    close(file);
    errno = reason;
    return code == -1 ? -1 : 0;
#else
    (void)path;
    return 0;
#endif
}

int ctrackway_close(int file) { return close(file); }

static int write_all_at(int file, const char *from, size_t count, int64_t offset) {
    while (count > 0) {
        ssize_t written = pwrite(file, from, count, (off_t)offset);
        if (written < 0) {
            if (errno == EINTR) continue;
            return -1;
        }
        if (written == 0) {
            errno = EIO;
            return -1;
        }
        from += written;
        offset += written;
        count -= (size_t)written;
    }
    return 0;
}

int ctrackway_write_at(int file, const void *bytes, size_t count, int64_t offset) {
    blocked_signal blocked = ctrackway_block_signal(SIGXFSZ);
    int code = write_all_at(file, bytes, count, offset);
    ctrackway_unblock_signal(&blocked, code != 0 && errno == EFBIG);
    return code;
}

int64_t ctrackway_read_at(int file, void *bytes, size_t count, int64_t offset) {
    ssize_t got;
    do {
        got = pread(file, bytes, count, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    return got;
}

int64_t ctrackway_file_size(int file) {
    struct stat facts;
    return fstat(file, &facts) == 0 ? (int64_t)facts.st_size : -1;
}

int64_t ctrackway_path_size(const char *path) {
    struct stat found;
    if (stat(path, &found) != 0) return -1;
    return (int64_t)found.st_size;
}

/// The free bytes that a reservation must leave.
///
/// On a copy-on-write volume, writing uses other blocks than the reserved ones, so a reservation is not a guarantee,
/// and writing to a page without space ends the process.
#define CTRACKWAY_FREE_MARGIN ((int64_t)32 << 20)

#if defined(__APPLE__)
static int check_margin(int file, int64_t size) {
    struct statvfs facts;
    // If the system does not report the free space, only the reservation below decides.
    if (fstatvfs(file, &facts) != 0) return 0;
    int64_t free_bytes = (int64_t)facts.f_bavail * (int64_t)facts.f_frsize;
    if (free_bytes >= size + CTRACKWAY_FREE_MARGIN) return 0;
    errno = ENOSPC;
    return -1;
}
#endif

static int preallocate(int file, int64_t size) {
#if defined(__APPLE__)
    if (check_margin(file, size) != 0) return -1;
    fstore_t request = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, (off_t)size, 0};
    if (fcntl(file, F_PREALLOCATE, &request) == -1) return -1;
    return ftruncate(file, (off_t)size);
#else
    int code;
    do {
        code = posix_fallocate(file, 0, (off_t)size);
    } while (code == EINTR);
    if (code == 0) return 0;
    errno = code;
    return -1;
#endif
}

int ctrackway_preallocate(int file, int64_t size) {
    blocked_signal blocked = ctrackway_block_signal(SIGXFSZ);
    int code = preallocate(file, size);
    ctrackway_unblock_signal(&blocked, code != 0 && errno == EFBIG);
    return code;
}

int ctrackway_truncate(int file, int64_t size) {
    blocked_signal blocked = ctrackway_block_signal(SIGXFSZ);
    int code;
    do {
        code = ftruncate(file, (off_t)size);
    } while (code < 0 && errno == EINTR);
    ctrackway_unblock_signal(&blocked, code != 0 && errno == EFBIG);
    return code;
}

int ctrackway_synchronize(int file) {
    int code;
    do {
#if defined(__APPLE__)
        // fsync stops at the drive's cache here; F_FULLFSYNC does not. Some file systems do not support it.
        code = fcntl(file, F_FULLFSYNC);
        if (code == -1 && (errno == ENOTSUP || errno == EINVAL)) code = fsync(file);
#else
        code = fdatasync(file);
#endif
    } while (code < 0 && errno == EINTR);
    return code;
}

int ctrackway_order(int file) {
#if defined(__APPLE__)
    int code;
    do {
        code = fcntl(file, F_BARRIERFSYNC);
        if (code == -1 && (errno == ENOTSUP || errno == EINVAL)) code = fsync(file);
    } while (code < 0 && errno == EINTR);
    return code;
#else
    // On Linux, no operation that keeps the order is cheaper than a flush.
    return ctrackway_synchronize(file);
#endif
}

int ctrackway_synchronize_map(void *address, size_t size, bool waits) {
#if defined(__APPLE__)
    // Flushing a descriptor may not include pages that were written through a mapping, so write them to the file first.
    return msync(address, size, waits ? MS_SYNC : MS_ASYNC);
#else
    // Flushing the descriptor of a shared mapping's file also flushes its pages.
    (void)address;
    (void)size;
    (void)waits;
    return 0;
#endif
}

int ctrackway_synchronize_folder(const char *path) {
    ctrackway_fill_standard();
    int folder = ctrackway_above_standard(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder < 0) return -1;
    int code = fsync(folder);
    int reason = errno;
    close(folder);
    errno = reason;
    // Some file systems cannot flush a folder separately; then a flush is not needed.
    return code < 0 && reason != EINVAL && reason != ENOTSUP ? -1 : 0;
}

void *ctrackway_map(int file, size_t size) {
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (address == MAP_FAILED) return NULL;
#if defined(MADV_POPULATE_WRITE)
    // Otherwise the first write to a new file would make the system read ahead hundreds of kilobytes of empty pages
    // while the caller waits. A file of this size gets its pages from `ctrackway_populate`, which enables read-ahead
    // again; a larger file is not populated.
    if (size <= 4u << 20) (void)madvise(address, size, MADV_RANDOM);
#endif
    return address;
}

int ctrackway_unmap(void *address, size_t size) { return munmap(address, size); }

void ctrackway_populate(void *address, size_t size) {
#if defined(MADV_POPULATE_WRITE)
    // Read-ahead makes it cheap to populate many pages at once.
    (void)madvise(address, size, MADV_NORMAL);
    (void)madvise(address, size, MADV_POPULATE_WRITE);
#else
    (void)address;
    (void)size;
#endif
}

int ctrackway_rename(const char *from, const char *to) { return rename(from, to); }

int ctrackway_rename_exclusive(const char *from, const char *to) {
#if defined(__APPLE__)
    int code = renamex_np(from, to, RENAME_EXCL);
    if (code == 0 || (errno != ENOTSUP && errno != EINVAL)) return code;
#endif
    // Create a second link, then remove the first one. If the process is killed in between, both exist, and the file is
    // complete under each name.
    if (link(from, to) == 0) {
        (void)unlink(from);
        return 0;
    }
#if defined(RENAME_NOREPLACE)
    // Not every file system supports hard links.
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) {
        return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    }
#endif
    return -1;
}

int ctrackway_unlink(const char *path) { return unlink(path); }
int ctrackway_mkdir(const char *path, uint32_t mode) { return mkdir(path, (mode_t)mode); }
int ctrackway_rmdir(const char *path) { return rmdir(path); }

int64_t ctrackway_free_bytes(const char *path) {
    struct statvfs facts;
    if (statvfs(path, &facts) != 0) return -1;
    return (int64_t)facts.f_bavail * (int64_t)facts.f_frsize;
}

int64_t ctrackway_file_system(const char *path) {
#ifdef __linux__
    struct statfs facts;
    if (statfs(path, &facts) == 0) return (int64_t)(uint32_t)facts.f_type;
#else
    (void)path;
#endif
    return -1;
}

int ctrackway_try_lock_file(int file) {
    int code;
    do {
        code = flock(file, LOCK_EX | LOCK_NB);
    } while (code < 0 && errno == EINTR);
    if (code == 0) return 1;
    return errno == EWOULDBLOCK ? 0 : -1;
}

int ctrackway_list(const char *path, void *context, void (*each)(void *context, const char *name)) {
    ctrackway_fill_standard();
    int file = ctrackway_above_standard(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file < 0) return -1;
    DIR *folder = fdopendir(file);
    if (folder == NULL) {
        int reason = errno;
        close(file);
        errno = reason;
        return -1;
    }
    errno = 0;
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) each(context, entry->d_name);
        errno = 0;
    }
    int reason = errno;
    closedir(folder);
    errno = reason;
    return reason == 0 ? 0 : -1;
}
