// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// A minimal sink, so that a drain measures the SDK and not a server: it reads bodies without parsing them and takes the
// number of events from the batch's name (`<writer>-<first>-<last>`).

#define _GNU_SOURCE
#include "CCounters.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t requests, events, body_bytes, first_post;

uint64_t ccounters_first_post(void) { return __atomic_load_n(&first_post, __ATOMIC_ACQUIRE); }

static void respond(int client, const char *head, size_t count) {
    char body[256], response[512];
    int length;
    if (strncmp(head, "GET /stats", 10) == 0) {
        length = snprintf(body, sizeof body, "{\"requests\":%llu,\"events\":%llu,\"bytes\":%llu}",
                          (unsigned long long)requests, (unsigned long long)events, (unsigned long long)body_bytes);
    } else {
        length = snprintf(body, sizeof body,
                          "{\"accepted\":%llu,\"rejected\":[],\"position\":\"1.16\",\"durability\":\"disk\"}",
                          (unsigned long long)count);
    }
    int total = snprintf(response, sizeof response,
                         "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", length, body);
    if (write(client, response, (size_t)total) != total) return;
}

static void *serve(void *context) {
    int client = (int)(intptr_t)context;
    size_t capacity = 4 << 20, filled = 0;
    char *buffer = malloc(capacity);
    while (buffer != NULL) {
        char *end = filled > 3 ? memmem(buffer, filled, "\r\n\r\n", 4) : NULL;
        if (end != NULL) {
            *end = 0;
            size_t head = (size_t)(end - buffer) + 4, length = 0;
            const char *field = strcasestr(buffer, "\r\ncontent-length:");
            if (field != NULL) length = strtoull(field + 17, NULL, 10);
            while (filled < head + length && head + length <= capacity) {
                ssize_t received = read(client, buffer + filled, capacity - filled);
                if (received <= 0) goto done;
                filled += (size_t)received;
            }
            uint64_t count = 0;
            const char *batch = strcasestr(buffer, "\r\ntrackway-batch:");
            if (batch != NULL) {
                const char *stop = strstr(batch + 2, "\r\n");
                if (stop == NULL) stop = end;
                const char *last = stop;
                while (last > batch && last[-1] != '-') last--;
                const char *first = last - 1;
                while (first > batch && first[-1] != '-') first--;
                count = strtoull(last, NULL, 10) - strtoull(first, NULL, 10) + 1;
            }
            if (strncmp(buffer, "POST", 4) == 0) {
                uint64_t unset = 0;
                __atomic_compare_exchange_n(&first_post, &unset, ccounters_nanoseconds(), 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_ACQUIRE);
                __atomic_fetch_add(&requests, 1, __ATOMIC_RELAXED);
                __atomic_fetch_add(&events, count, __ATOMIC_RELAXED);
                __atomic_fetch_add(&body_bytes, length, __ATOMIC_RELAXED);
            }
            respond(client, buffer, count);
            memmove(buffer, buffer + head + length, filled - head - length);
            filled -= head + length;
            continue;
        }
        if (filled == capacity) break;
        ssize_t received = read(client, buffer + filled, capacity - filled);
        if (received <= 0) break;
        filled += (size_t)received;
    }
done:
    free(buffer);
    close(client);
    return NULL;
}

static int listen_on_port(uint16_t port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 64) != 0) return -1;
    return listener;
}

int ccounters_run_unresponsive_server(uint16_t port) {
    if (listen_on_port(port) < 0) return -1;
    for (;;) pause();
}

int ccounters_run_sink(uint16_t port) {
    signal(SIGPIPE, SIG_IGN);
    int on = 1;
    int listener = listen_on_port(port);
    if (listener < 0) return -1;
    for (;;) {
        int client = accept(listener, NULL, NULL);
        if (client < 0) continue;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)client) == 0) {
            pthread_detach(thread);
        } else {
            close(client);
        }
    }
}
