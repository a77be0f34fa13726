// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The output of the samples, in order.
@MainActor public var output: [String] = []

/// Replaces `print`, so that a test can read a sample's output.
///
/// Actions run on the main thread.
func print(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ")
    MainActor.assumeIsolated { output.append(line) }
}

/// A stand-in for an analytics solution.
func sendEvent(_ what: String) {
    MainActor.assumeIsolated { output.append(what) }
}
