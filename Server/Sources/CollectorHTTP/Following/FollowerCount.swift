// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import HTTPTypes
internal import TrackwayEvents

/// How many live streams and waits there are, and how many there may be.
struct FollowerCount: Sendable {
    private let count = Locked(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Refuses one more when there are as many as allowed.
    func check() throws(RequestFailure) {
        guard count.withLock({ $0 < limit }) else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "too_many_followers",
                message: "\(limit) streams are open already; close one.",
                retryAfter: .seconds(10)
            )
        }
    }

    /// Counts one while `body` runs.
    @concurrent
    func counting<Value>(_ body: @concurrent () async throws -> Value) async rethrows -> Value {
        count.withLock { $0 += 1 }
        defer { count.withLock { $0 -= 1 } }
        return try await body()
    }
}
