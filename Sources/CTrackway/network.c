// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include "CTrackway.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

int ctrackway_list_addresses(
    void *context,
    void (*each)(void *context, const char *address, bool is_up, bool is_loopback)
) {
    struct ifaddrs *first = NULL;
    if (getifaddrs(&first) != 0) return -1;
    for (const struct ifaddrs *entry = first; entry != NULL; entry = entry->ifa_next) {
        // Interfaces without an address, and those of other address families, are skipped.
        if (entry->ifa_addr == NULL) continue;
        char text[INET6_ADDRSTRLEN];
        const char *made = NULL;
        if (entry->ifa_addr->sa_family == AF_INET) {
            const struct sockaddr_in *address = (const void *)entry->ifa_addr;
            made = inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
        } else if (entry->ifa_addr->sa_family == AF_INET6) {
            struct in6_addr address = ((const struct sockaddr_in6 *)(const void *)entry->ifa_addr)->sin6_addr;
            // Systems with BSD network code store the scope inside link-local addresses, in place of zeros.
            if (IN6_IS_ADDR_LINKLOCAL(&address)) address.s6_addr[2] = address.s6_addr[3] = 0;
            made = inet_ntop(AF_INET6, &address, text, sizeof text);
        }
        if (made == NULL) continue;
        each(context, made, (entry->ifa_flags & IFF_UP) != 0, (entry->ifa_flags & IFF_LOOPBACK) != 0);
    }
    freeifaddrs(first);
    return 0;
}
