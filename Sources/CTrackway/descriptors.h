// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// A program may be started with its standard streams closed. The next opened file then gets the number 0, 1 or 2, and
// the program's output would be written to it. So our first call that opens a file opens /dev/null for the closed
// streams, as other runtimes do at their start; moving a descriptor to a higher number after opening it would leave a
// short time in which a write could reach it. Streams that a program closes later are not reopened, and none of our
// descriptors stays below 3.

#ifndef CTRACKWAY_DESCRIPTORS_H
#define CTRACKWAY_DESCRIPTORS_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/// Opens /dev/null for closed standard streams, once per process.
///
/// Called before any file is opened.
void ctrackway_fill_standard(void);

/// Moves a file to a descriptor above the standard streams.
///
/// The descriptor is closed on exec. A failure is passed on.
static inline int ctrackway_above_standard(int file) {
    if (file < 0 || file > 2) return file;
    int above = fcntl(file, F_DUPFD_CLOEXEC, 3);
    int reason = errno;
    close(file);
    errno = reason;
    return above;
}

#endif
