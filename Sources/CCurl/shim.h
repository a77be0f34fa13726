// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// libcurl for Swift: its functions for options are variadic, so Swift cannot call them.

#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H
#define CURL_DISABLE_TYPECHECK 1
#include <curl/curl.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/// Receives a part of a response.
///
/// Any result other than size * count ends the transfer.
typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}
/// The library copies the text.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}
/// The library stores the address: the memory must outlive the transfer.
static inline CURLcode ccurl_set_address(CURL *easy, CURLoption option, void *address) {
    return curl_easy_setopt(easy, option, address);
}
static inline CURLcode ccurl_set_sink(CURL *easy, CURLoption option, ccurl_sink sink) {
    return curl_easy_setopt(easy, option, sink);
}
static inline CURLcode ccurl_get_number(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
/// The text belongs to the handle.
static inline CURLcode ccurl_get_text(CURL *easy, CURLINFO info, const char **text) {
    return curl_easy_getinfo(easy, info, (char **)text);
}
static inline CURLMcode ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Opens a socket with close-on-exec.
///
/// Programs that the host starts do not inherit it.
static inline curl_socket_t ccurl_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context;
    (void)purpose;
    int file = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (file < 0 || file > 2) return file;
    // The descriptors of the standard streams belong to the host, even while they are closed.
    int above = fcntl(file, F_DUPFD_CLOEXEC, 3);
    close(file);
    return above;
}

/// Sets the options of every request.
///
/// Options that this version of the library lacks are left out.
static inline void ccurl_prepare(CURL *easy) {
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    // The library decodes these. An empty list would mean all encodings that it supports, which are too many.
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket);
#if CURL_AT_LEAST_VERSION(7, 85, 0)
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if CURL_AT_LEAST_VERSION(7, 87, 0)
    // Canceling a request does not wait for its name resolution.
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/// Runs transfers without waiting.
///
/// The number of active transfers is not needed.
static inline CURLMcode ccurl_perform(CURLM *multi) {
    int running;
    return curl_multi_perform(multi, &running);
}

/// Sleeps until a transfer continues, `wake` is readable, or the timeout.
static inline CURLMcode ccurl_wait(CURLM *multi, int wake, int milliseconds) {
    struct curl_waitfd extra = {wake, CURL_WAIT_POLLIN, 0};
    return curl_multi_poll(multi, &extra, 1, milliseconds, NULL);
}

/// Returns the next completed transfer and its result, or NULL.
static inline CURL *ccurl_next_ended(CURLM *multi, CURLcode *code) {
    int left;
    struct CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        *code = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
#endif
