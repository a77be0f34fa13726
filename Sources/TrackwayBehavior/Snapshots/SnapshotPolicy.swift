// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How often the state of a device and an app is worth a snapshot.
public struct SnapshotPolicy: Sendable, Hashable, Codable {
    /// At most so many that the app's use brings about…
    public var atMost: Int
    /// …in so long.
    public var per: Duration
    /// In the foreground a snapshot is taken at least so often, use or not; a second at the least. Without any time, use
    /// alone brings snapshots about.
    public var atLeastEvery: Duration

    /// A policy of these parts; by default thirty a minute, and one in two minutes.
    public init(atMost: Int = 30, per: Duration = .seconds(60), atLeastEvery: Duration = .seconds(120)) {
        self.atMost = atMost
        self.per = per
        self.atLeastEvery = atLeastEvery
    }
}
