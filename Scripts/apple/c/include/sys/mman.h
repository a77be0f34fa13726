// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 0x1
#define MAP_PRIVATE 0x2
#define MAP_ANON 0x1000
#define MAP_ANONYMOUS MAP_ANON
#define MAP_FAILED ((void *)-1)
#define MS_ASYNC 0x1
#define MS_SYNC 0x10
void *mmap(void *address, size_t size, int access, int flags, int file, off_t offset);
int munmap(void *address, size_t size);
int msync(void *address, size_t size, int flags);
int madvise(void *address, size_t size, int advice);
