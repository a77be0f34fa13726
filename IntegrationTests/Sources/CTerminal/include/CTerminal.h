// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <spawn.h>
#include <stddef.h>

/// The flag of posix_spawn that starts a new session; the C library shows it to callers with GNU extensions only.
extern const short terminal_new_session;

/// Closes every descriptor from this one on in the child to be started; 0, or an error number. The C library shows the call
/// to callers with GNU extensions only.
int terminal_close_from(posix_spawn_file_actions_t *actions, int descriptor);

/// Opens a terminal without echo and writes the path of its other side into `path`; -1 with errno when it cannot.
int terminal_open(char *path, size_t length);

#endif
