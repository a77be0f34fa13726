// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// Marks declarations that a system does not have, as far as our sources could use them.
#pragma once
#define SYNTHETIC_NOT_ON_TV_OR_WATCH \
    __attribute__((availability(tvos, unavailable), availability(watchos, unavailable)))
