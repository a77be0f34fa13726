// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <sys/types.h>
typedef struct _dirdesc DIR;
struct dirent {
    uint64_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
};
DIR *opendir(const char *path);
DIR *fdopendir(int file);
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
