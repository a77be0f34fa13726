// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stddef.h>

/// The flag of posix_spawn that starts a new session; the C library shows it to callers with GNU extensions only.
extern const short terminal_new_session;

/// Opens a terminal without echo and writes the path of its other side into `path`; -1 with errno when it cannot.
int terminal_open(char *path, size_t length);

#endif
