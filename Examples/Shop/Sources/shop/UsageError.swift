// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The command line makes no sense.
struct UsageError: Error {
    /// What is wrong, and what would be right.
    var sentence: String
}
