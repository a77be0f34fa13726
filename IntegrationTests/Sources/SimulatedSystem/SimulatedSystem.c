// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// Overrides functions of the C library, so that a process sees the files of another machine and reaches only one port.
// Whatever it tries to send elsewhere is refused and listed.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "SimulatedSystem.h"

#if defined(__linux__)
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONGEST_PATH = 4096 };

/// Whether a path names a file about the machine.
static int is_replaced(const char *path) {
    static const char *const starts[] = {
        "/sys/", "/proc/sys/kernel/", "/proc/meminfo", "/proc/cpuinfo", "/proc/version", "/proc/net/", "/proc/device-tree/",
        "/etc/machine-id", "/etc/machine-info", "/etc/os-release", "/etc/timezone", "/etc/localtime",
    };
    for (size_t index = 0; index < sizeof starts / sizeof *starts; index++) {
        if (strncmp(path, starts[index], strlen(starts[index])) == 0) return 1;
    }
    return 0;
}

/// Returns the path of the replacement, or the path itself.
static const char *replacement(const char *path, char *buffer) {
    const char *root = getenv(SIMULATED_SYSTEM_ROOT);
    if (root == NULL || path == NULL || !is_replaced(path)) return path;
    if (snprintf(buffer, LONGEST_PATH, "%s%s", root, path) >= LONGEST_PATH) return path;
    return buffer;
}

#define REAL(name, type) \
    static __typeof__(type) *real; \
    if (real == NULL) real = (__typeof__(type) *)dlsym(RTLD_NEXT, name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(#name, int(const char *, int, ...)); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        char buffer[LONGEST_PATH]; \
        return real(replacement(path, buffer), flags, mode); \
    }

OPEN(open)
OPEN(open64)

ssize_t readlink(const char *restrict path, char *restrict target, size_t size) {
    REAL("readlink", ssize_t(const char *, char *, size_t));
    char buffer[LONGEST_PATH];
    return real(replacement(path, buffer), target, size);
}

/// Lists an address and returns 1 unless the process may send to it.
static int is_refused(const char *call, const struct sockaddr *address) {
    const char *port = getenv(SIMULATED_SYSTEM_PORT);
    if (port == NULL || address == NULL) return 0;
    char name[INET6_ADDRSTRLEN] = "";
    int number = 0;
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *ip = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &ip->sin_addr, name, sizeof name);
        number = ntohs(ip->sin_port);
        if (ip->sin_addr.s_addr == htonl(INADDR_LOOPBACK) && number == atoi(port)) return 0;
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ip = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &ip->sin6_addr, name, sizeof name);
        number = ntohs(ip->sin6_port);
    } else {
        return 0;
    }
    char line[128];
    int length = snprintf(line, sizeof line, "%s %s %d\n", call, name, number);
    const char *list = getenv(SIMULATED_SYSTEM_REFUSED);
    int file = list == NULL ? -1 : open(list, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        ssize_t written = write(file, line, (size_t)length);
        (void)written;
        close(file);
    }
    errno = ECONNREFUSED;
    return 1;
}

int connect(int socket, const struct sockaddr *address, socklen_t size) {
    REAL("connect", int(int, const struct sockaddr *, socklen_t));
    return is_refused("connect", address) ? -1 : real(socket, address, size);
}

ssize_t sendto(int socket, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t size) {
    REAL("sendto", ssize_t(int, const void *, size_t, int, const struct sockaddr *, socklen_t));
    return is_refused("sendto", address) ? -1 : real(socket, bytes, count, flags, address, size);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    REAL("sendmsg", ssize_t(int, const struct msghdr *, int));
    return message != NULL && is_refused("sendmsg", message->msg_name) ? -1 : real(socket, message, flags);
}

int sendmmsg(int socket, struct mmsghdr *messages, unsigned int count, int flags) {
    REAL("sendmmsg", int(int, struct mmsghdr *, unsigned int, int));
    return count > 0 && is_refused("sendmmsg", messages[0].msg_hdr.msg_name) ? -1 : real(socket, messages, count, flags);
}
#endif
