// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What the collector adds to a body it keeps.
package struct IntakeHeader: Sendable, Hashable {
    /// When the body arrived, by the collector's clock.
    package var received: Timestamp
    /// The name of the key it came with.
    package var key: String
    /// How the body is encoded.
    package var encoding: ContentEncoding
    /// The events that were refused; everything else in the body is accepted.
    package var rejected: [RejectedEvent]
    /// The format it was sent in.
    package var format: IntakeFormat

    /// A header for a body.
    package init(
        received: Timestamp,
        key: String,
        encoding: ContentEncoding,
        rejected: [RejectedEvent] = [],
        format: IntakeFormat = .trackway
    ) {
        self.received = received
        self.key = key
        self.encoding = encoding
        self.rejected = rejected
        self.format = format
    }
}
