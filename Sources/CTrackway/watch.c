// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Watches folders for changes of their entries, with inotify.

#if defined(__linux__)
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"
#include "descriptors.h"

#include <errno.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

int ctrackway_watch_open(void) {
    ctrackway_fill_standard();
    return ctrackway_above_standard(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
}

/// Whether the file system of `path` is a network file system.
///
/// It may not report changes by other machines. True if unknown.
static bool is_remote(const char *path) {
    struct statfs system;
    if (statfs(path, &system) != 0) return true;
    switch ((uint32_t)system.f_type) {
    case 0x6969:      // NFS
    case 0x517B:      // SMB
    case 0xFE534D42:  // SMB 2
    case 0xFF534D42:  // CIFS
    case 0x65735546:  // FUSE: sshfs and its like
    case 0x01021997:  // 9P
    case 0x00C36400:  // Ceph
    case 0x5346414F:  // AFS
    case 0x7461636F:  // OCFS2
    case 0x01161970:  // GFS2
    case 0x0BD00BD0:  // Lustre
        return true;
    default: return false;
    }
}

int ctrackway_watch_add(int watch, const char *folder, bool is_for_folders) {
    if (is_remote(folder)) {
        errno = ENOTSUP;
        return -1;
    }
    uint32_t mask = IN_ONLYDIR | IN_MASK_ADD | IN_DELETE_SELF | IN_MOVE_SELF | IN_MOVED_TO;
    // A file that is moved into place by a rename was created first; reporting that, too, would wake the caller twice.
    if (is_for_folders) mask |= IN_CREATE | IN_DELETE | IN_MOVED_FROM;
    return inotify_add_watch(watch, folder, mask);
}

void ctrackway_watch_remove(int watch, int number) { inotify_rm_watch(watch, number); }

void ctrackway_watch_wait(int watch, int event) {
    struct pollfd files[2] = {{.fd = watch, .events = POLLIN}, {.fd = event, .events = POLLIN}};
    // The caller checks the state regardless of the result.
    poll(files, 2, -1);
}

int ctrackway_watch_read(
    int watch,
    void *context,
    void (*each)(void *context, int number, ctrackway_watch_change change, const char *name)
) {
    // Space for at least one event with the longest name.
    _Alignas(struct inotify_event) char bytes[4096];
    while (true) {
        ssize_t got = read(watch, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return 0;
        if (got <= 0) return -1;
        for (char *place = bytes; place < bytes + got;) {
            struct inotify_event *event = (struct inotify_event *)place;
            place += sizeof *event + event->len;
            if (event->mask & IN_Q_OVERFLOW) {
                each(context, -1, ctrackway_watch_overflowed, NULL);
            } else if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) {
                each(context, event->wd, ctrackway_watch_ended, NULL);
            } else if (event->len > 0) {
                each(context, event->wd, ctrackway_watch_entry, event->name);
            }
        }
    }
}
#endif
