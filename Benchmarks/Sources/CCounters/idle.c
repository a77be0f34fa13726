// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "CCounters.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t read_field(const char *path, const char *field) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    char line[256];
    uint64_t number = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) number = strtoull(line + strlen(field), NULL, 10);
    }
    fclose(file);
    return number;
}

static void read_name(const char *thread, char *name, size_t capacity) {
    char path[128];
    name[0] = 0;
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    if (fgets(name, (int)capacity, file) == NULL) name[0] = 0;
    name[strcspn(name, "\n")] = 0;
    fclose(file);
}

uint64_t ccounters_list_wakes(void *context, void (*each)(void *context, const char *thread, uint64_t wakes)) {
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return 0;
    uint64_t total = 0;
    struct dirent *entry;
    while ((entry = readdir(tasks)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        char path[128], name[64], label[96];
        snprintf(path, sizeof path, "/proc/self/task/%.32s/status", entry->d_name);
        uint64_t wakes = read_field(path, "voluntary_ctxt_switches:");
        total += wakes;
        if (each == NULL) continue;
        read_name(entry->d_name, name, sizeof name);
        snprintf(label, sizeof label, "%.32s %s", entry->d_name, name);
        each(context, label, wakes);
    }
    closedir(tasks);
    return total;
}

ccounters_io ccounters_read_io(void) {
    return (ccounters_io){
        .written_by_calls = read_field("/proc/self/io", "wchar:"),
        .written_to_disk = read_field("/proc/self/io", "write_bytes:"),
    };
}
