// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a source told so far.
final class Collected<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    /// All of it, in order.
    var all: [Value] { values.withLock { $0 } }

    func append(_ value: Value) { values.withLock { $0.append(value) } }
}
