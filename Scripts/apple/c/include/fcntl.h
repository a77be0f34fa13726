// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
#define O_RDONLY 0x0
#define O_WRONLY 0x1
#define O_RDWR 0x2
#define O_NONBLOCK 0x4
#define O_CREAT 0x200
#define O_TRUNC 0x400
#define O_EXCL 0x800
#define O_EVTONLY 0x8000
#define O_NOCTTY 0x20000
#define O_DIRECTORY 0x100000
#define O_CLOEXEC 0x1000000
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_PREALLOCATE 42
#define F_FULLFSYNC 51
#define F_GETPROTECTIONCLASS 63
#define F_SETPROTECTIONCLASS 64
#define F_DUPFD_CLOEXEC 67
#define F_BARRIERFSYNC 85
#define F_ALLOCATECONTIG 0x2
#define F_ALLOCATEALL 0x4
#define F_PEOFPOSMODE 3
#define F_VOLPOSMODE 4
#define FD_CLOEXEC 1
typedef struct fstore {
    unsigned int fst_flags;
    int fst_posmode;
    off_t fst_offset;
    off_t fst_length;
    off_t fst_bytesalloc;
} fstore_t;
int open(const char *path, int flags, ...);
int open_dprotected_np(const char *path, int flags, int protection, int more, ...);
int fcntl(int file, int command, ...);
