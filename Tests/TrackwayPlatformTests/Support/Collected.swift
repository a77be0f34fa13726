// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The values that a source has reported so far.
final class Collected<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    /// All values, in order.
    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }
}
