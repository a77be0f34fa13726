// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#include "CSQLiteSettings.h"

#include <sqlite3.h>

int csqlite_settings_leave_memory_uncounted(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
