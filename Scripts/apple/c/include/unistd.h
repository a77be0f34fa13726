// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <Availability.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int close(int file);
ssize_t read(int file, void *to, size_t count);
ssize_t write(int file, const void *from, size_t count);
ssize_t pread(int file, void *to, size_t count, off_t offset);
ssize_t pwrite(int file, const void *from, size_t count, off_t offset);
ssize_t readlink(const char *path, char *to, size_t capacity);
off_t lseek(int file, off_t offset, int from);
int ftruncate(int file, off_t size);
int fsync(int file);
int pipe(int ends[2]);
int link(const char *from, const char *to);
int unlink(const char *path);
int rmdir(const char *path);
pid_t getpid(void);
pid_t getpgrp(void);
pid_t tcgetpgrp(int terminal);
int pause(void);
pid_t fork(void) SYNTHETIC_NOT_ON_TV_OR_WATCH;
