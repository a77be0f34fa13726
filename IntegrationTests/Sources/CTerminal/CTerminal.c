// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTerminal.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

const short terminal_new_session = POSIX_SPAWN_SETSID;

int terminal_close_from(posix_spawn_file_actions_t *actions, int descriptor) {
    return posix_spawn_file_actions_addclosefrom_np(actions, descriptor);
}

int terminal_open(char *path, size_t length) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return -1;
    if (grantpt(master) != 0 || unlockpt(master) != 0 || ptsname_r(master, path, length) != 0) {
        close(master);
        return -1;
    }
    // Echo is disabled, so that only the output of programs is read back.
    int slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios settings;
    if (slave < 0 || tcgetattr(slave, &settings) != 0) {
        close(master);
        return -1;
    }
    settings.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(slave, TCSANOW, &settings);
    // The slave stays open: otherwise reading from the terminal would fail until the shell has opened it.
    return master;
}
