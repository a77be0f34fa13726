// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the samples printed and sent, in order.
@MainActor public var output: [String] = []

/// In the place of `print`, so that a test sees what a sample prints. Actions run on the main thread.
func print(_ items: Any...) {
    let line = items.map { "\($0)" }.joined(separator: " ")
    MainActor.assumeIsolated { output.append(line) }
}

/// In the place of an analytics solution.
func sent(_ what: String) {
    MainActor.assumeIsolated { output.append(what) }
}
