// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// Marks declarations that some systems lack, as far as our sources might use them.
#pragma once
#define SYNTHETIC_NOT_ON_TV_OR_WATCH \
    __attribute__((availability(tvos, unavailable), availability(watchos, unavailable)))
