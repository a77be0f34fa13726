// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// A program may be started with its standard streams closed. The next file that is opened then has number 0, 1 or 2, and the
// program's own output would go into it. So the first call of ours that opens anything opens /dev/null for the streams that are
// closed, as other runtimes do at their start: moving a descriptor up after it was opened would leave a moment for a write. What a
// program closes later is not opened again, and no descriptor of ours stays below 3.

#ifndef CTRACKWAY_DESCRIPTORS_H
#define CTRACKWAY_DESCRIPTORS_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/// Opens /dev/null for closed standard streams, once in the life of the process. Called before anything is opened.
void ctrackway_fill_standard(void);

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
