// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
typedef struct dl_info {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
int dladdr(const void *address, Dl_info *found);
#define RTLD_NOW 0x2
#define RTLD_LOCAL 0x4
void *dlopen(const char *path, int mode);
void *dlsym(void *handle, const char *symbol);
