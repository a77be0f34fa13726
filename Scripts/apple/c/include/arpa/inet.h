// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
#pragma once
#include <netinet/in.h>
const char *inet_ntop(int family, const void *address, char *to, socklen_t capacity);
