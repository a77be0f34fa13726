// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <spawn.h>
#include <stddef.h>

/// The posix_spawn flag that starts a new session.
///
/// The C library declares it only with GNU extensions enabled.
extern const short terminal_new_session;

/// Closes this descriptor and all higher ones in the child.
///
/// Returns 0 or an error number.
///
/// The C library declares the call only with GNU extensions enabled.
int terminal_close_from(posix_spawn_file_actions_t *actions, int descriptor);

/// Opens a terminal without echo and writes the path of its slave into `path`.
///
/// Returns -1 and sets errno on failure.
int terminal_open(char *path, size_t length);

#endif
