// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "held.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

int ctrackway_errno(void) { return errno; }

const char *ctrackway_errno_kind(int number) {
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:  // Beyond the limit that the process has for its files: there is no more room for us.
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

int ctrackway_open_read(const char *path) {
    int file;
    do {
        file = open(path, O_RDONLY | O_CLOEXEC);
    } while (file < 0 && errno == EINTR);
    return file;
}

int ctrackway_open_write(const char *path, bool exclusive) {
    int file;
    do {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (exclusive ? O_EXCL : 0), 0600);
    } while (file < 0 && errno == EINTR);
#if defined(__APPLE__) && TARGET_OS_IPHONE && !TARGET_OS_SIMULATOR
    // Class C, open from the first unlocking on. Under an app's own stricter class the pages of a mapped file go when the device
    // is locked, and whoever writes to them is ended. Where files have no classes, there is nothing to set.
    if (file >= 0) (void)fcntl(file, F_SETPROTECTIONCLASS, 3);
#endif
    return file;
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
    held_signal held = ctrackway_hold(SIGXFSZ);
    int code = write_all_at(file, bytes, count, offset);
    ctrackway_let_go(&held, code != 0 && errno == EFBIG);
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

static int preallocate(int file, int64_t size) {
#if defined(__APPLE__)
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
    held_signal held = ctrackway_hold(SIGXFSZ);
    int code = preallocate(file, size);
    ctrackway_let_go(&held, code != 0 && errno == EFBIG);
    return code;
}

int ctrackway_truncate(int file, int64_t size) {
    held_signal held = ctrackway_hold(SIGXFSZ);
    int code;
    do {
        code = ftruncate(file, (off_t)size);
    } while (code < 0 && errno == EINTR);
    ctrackway_let_go(&held, code != 0 && errno == EFBIG);
    return code;
}

int ctrackway_synchronize(int file) {
    int code;
    do {
#if defined(__APPLE__)
        // fsync there stops at the drive's cache; F_FULLFSYNC does not. Some file systems refuse it.
        code = fcntl(file, F_FULLFSYNC);
        if (code == -1 && (errno == ENOTSUP || errno == EINVAL)) code = fsync(file);
#else
        code = fdatasync(file);
#endif
    } while (code < 0 && errno == EINTR);
    return code;
}

int ctrackway_synchronize_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    int code = fsync(folder);
    int reason = errno;
    close(folder);
    errno = reason;
    // Some file systems cannot flush a folder on its own; there is nothing to flush then.
    return code < 0 && reason != EINVAL && reason != ENOTSUP ? -1 : 0;
}

void *ctrackway_map(int file, size_t size) {
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return address == MAP_FAILED ? NULL : address;
}

int ctrackway_unmap(void *address, size_t size) { return munmap(address, size); }

void ctrackway_populate(void *address, size_t size) {
#if defined(MADV_POPULATE_WRITE)
    (void)madvise(address, size, MADV_POPULATE_WRITE);
#else
    (void)address;
    (void)size;
#endif
}

int ctrackway_rename(const char *from, const char *to) { return rename(from, to); }
int ctrackway_link(const char *from, const char *to) { return link(from, to); }
int ctrackway_unlink(const char *path) { return unlink(path); }
int ctrackway_mkdir(const char *path, uint32_t mode) { return mkdir(path, (mode_t)mode); }
int ctrackway_rmdir(const char *path) { return rmdir(path); }

int64_t ctrackway_free_bytes(const char *path) {
    struct statvfs facts;
    if (statvfs(path, &facts) != 0) return -1;
    return (int64_t)facts.f_bavail * (int64_t)facts.f_frsize;
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
    DIR *folder = opendir(path);
    if (folder == NULL) return -1;
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
