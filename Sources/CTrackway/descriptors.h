// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// A program may be started with its standard streams closed. The next file that anybody opens is then number 0, 1 or 2, and the
// program's own output would go into it. So no descriptor of ours stays below 3.

#ifndef CTRACKWAY_DESCRIPTORS_H
#define CTRACKWAY_DESCRIPTORS_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/// The same file under a number above those of the standard streams; closed on exec. Passes a failure on.
static inline int ctrackway_above_standard(int file) {
    if (file < 0 || file > 2) return file;
    int above = fcntl(file, F_DUPFD_CLOEXEC, 3);
    int reason = errno;
    close(file);
    errno = reason;
    return above;
}

#endif
