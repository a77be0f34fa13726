// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
struct statvfs {
    unsigned long f_bsize, f_frsize;
    unsigned int f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail;
    unsigned long f_fsid, f_flag, f_namemax;
};
int statvfs(const char *path, struct statvfs *facts);
int fstatvfs(int file, struct statvfs *facts);
