// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which sensors that need time can add to a snapshot.
package struct SnapshotMeans: Sendable, Hashable, Codable {
    /// Whether there is a compass to read.
    package var hasHeading: Bool
    /// How motion is read, if it is.
    package var motion: MotionMeans?

    /// Means of these parts.
    package init(hasHeading: Bool = false, motion: MotionMeans? = nil) {
        self.hasHeading = hasHeading
        self.motion = motion
    }

    /// How long the sensors are given: a compass needs to settle, and motion is sampled until its buffers are full.
    package var timeout: Duration {
        max(hasHeading ? Self.headingTimeout : .zero, motion == nil ? .zero : Self.motionTimeout)
    }

    /// How often motion is sampled.
    package static let samplingInterval = Duration.milliseconds(500)
    /// How long a compass is given.
    package static let headingTimeout = Duration.seconds(4)
    /// How long ten samples take, and a little more.
    package static let motionTimeout = samplingInterval * ReadingBuffer<Double>.usualCapacity + .milliseconds(100)
}
