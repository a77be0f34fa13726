// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A moment on a device, in both clocks, with the boot.
///
/// The boot identifies the period that the monotonic time refers to, because devices restart.
package struct DeviceTime: Sendable, Hashable, Codable {
    /// The wall-clock time; it may jump.
    package var wall: Timestamp
    /// The time since boot; it does not jump.
    package var monotonic: MonotonicTime
    /// The id of the boot.
    package var boot: String

    /// Creates a moment.
    package init(wall: Timestamp, monotonic: MonotonicTime, boot: String) {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
    }

    /// Creates a moment within a boot.
    package init(_ moment: DualTimestamp, boot: String) {
        self.init(wall: moment.wall, monotonic: moment.monotonic, boot: boot)
    }

    /// Both clocks, without the boot.
    package var moment: DualTimestamp { DualTimestamp(wall: wall, monotonic: monotonic) }

    /// Returns the time since `earlier`.
    ///
    /// Within a boot, it is measured by the monotonic clock; across boots, by the wall clock.
    ///
    /// - Returns: Nil if the result would be negative, such as when the wall clock went back while the device was
    ///   restarted.
    package func elapsed(since earlier: DeviceTime) -> Duration? {
        let elapsed =
            boot == earlier.boot
            ? earlier.monotonic.duration(to: monotonic)
            : earlier.wall.duration(to: wall)
        return elapsed < .zero ? nil : elapsed
    }

    /// Returns the moment `duration` later in both clocks.
    package func advanced(by duration: Duration) -> DeviceTime {
        DeviceTime(moment.advanced(by: duration), boot: boot)
    }
}
