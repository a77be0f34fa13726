// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A start, an end or a crash of the app.
package struct StoredLaunch: Sendable, Hashable {
    /// When.
    package var time: Timestamp
    /// `cold`, `hot` or `passive` for a start (`start` when the client does not say), `end`, or `crash`.
    package var kind: String
    /// Whether it is the first start ever.
    package var isFirst: Bool
    /// Whether it was lost to a kill and told at the next start.
    package var isRecovered: Bool
    /// For an end: how long the app was in the foreground, in milliseconds.
    package var duration: Int64?

    /// A launch of these parts.
    package init(time: Timestamp, kind: String, isFirst: Bool, isRecovered: Bool, duration: Int64?) {
        self.time = time
        self.kind = kind
        self.isFirst = isFirst
        self.isRecovered = isRecovered
        self.duration = duration
    }
}
