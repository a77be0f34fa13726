// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An invalid command line.
struct UsageError: Error {
    /// The problem and how to fix it.
    var sentence: String
}
