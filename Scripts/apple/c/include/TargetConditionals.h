// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// The compiler itself defines TARGET_OS_… for Apple's triples.
#pragma once
#if !defined(TARGET_OS_IPHONE) || !defined(TARGET_OS_WATCH) || !defined(TARGET_OS_TV) || !defined(TARGET_OS_SIMULATOR)
#error "this compiler does not define TARGET_OS_… for the Apple system that it compiles for"
#endif
