// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A time by both of a device's clocks, with the boot's id.
///
/// The boot identifies the period that the monotonic time refers to, because devices restart.
package struct DeviceTime: Sendable, Hashable, Codable {
    /// The wall-clock time; it may jump.
    package var wall: Timestamp
    /// The time since boot; it does not jump.
    package var monotonic: MonotonicTime
    /// The id of the boot.
    package var boot: String

    /// Creates a time from its parts.
    package init(wall: Timestamp, monotonic: MonotonicTime, boot: String) {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
    }

    /// Creates a time from both clocks and a boot.
    package init(_ moment: DualTimestamp, boot: String) {
        self.init(wall: moment.wall, monotonic: moment.monotonic, boot: boot)
    }

    /// The time by both clocks, without the boot.
    package var moment: DualTimestamp { DualTimestamp(wall: wall, monotonic: monotonic) }

    /// Returns the time since `earlier`.
    ///
    /// Within a boot, the duration is measured by the monotonic clock; across boots, by the wall clock.
    ///
    /// - Returns: The duration; nil if it would be negative, for example because the wall clock went back while the
    ///   device restarted.
    package func elapsed(since earlier: DeviceTime) -> Duration? {
        let elapsed =
            boot == earlier.boot
            ? earlier.monotonic.duration(to: monotonic)
            : earlier.wall.duration(to: wall)
        return elapsed < .zero ? nil : elapsed
    }

    /// Returns the time `duration` later by both clocks.
    package func advanced(by duration: Duration) -> DeviceTime {
        DeviceTime(moment.advanced(by: duration), boot: boot)
    }
}
