// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// In which format a kept batch was sent. What lies in the log is the canonical form in every case.
package enum IntakeFormat: String, Sendable, Hashable, CaseIterable {
    /// The collector's own: the body is kept exactly as it was received.
    case trackway
    /// Clickstream: translated when it arrived.
    case clickstream
    /// Sensors Analytics: translated when it arrived.
    case sensorsAnalytics = "sensors_analytics"
    /// Sift: translated when it arrived.
    case sift

    /// Whether a body may tell of several installations, each under a header of its own.
    var hasManyHeaders: Bool { self != .trackway }
}
