// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// What is not there, as far as our own sources could use it.
#pragma once
#define SYNTHETIC_NOT_ON_TV_OR_WATCH \
    __attribute__((availability(tvos, unavailable), availability(watchos, unavailable)))
