// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A moment on a device that may be restarted: both clocks, and the boot the monotonic one belongs to.
package struct DeviceTime: Sendable, Hashable, Codable {
    /// The device's wall clock; it may jump.
    package var wall: Timestamp
    /// The time since boot; it does not jump.
    package var monotonic: MonotonicTime
    /// Which boot that is.
    package var boot: String

    /// A moment of these parts.
    package init(wall: Timestamp, monotonic: MonotonicTime, boot: String) {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
    }

    /// A moment of a boot.
    package init(_ moment: Moment, boot: String) {
        self.init(wall: moment.wall, monotonic: moment.monotonic, boot: boot)
    }

    /// Both clocks, without the boot.
    package var moment: Moment { Moment(wall: wall, monotonic: monotonic) }

    /// How much time passed since `earlier`: by the monotonic clock within a boot, by the wall clock across boots.
    ///
    /// - Returns: nil when nobody can tell: the wall clock went back while the device was restarted.
    package func elapsed(since earlier: DeviceTime) -> Duration? {
        let elapsed =
            boot == earlier.boot
            ? earlier.monotonic.duration(to: monotonic)
            : earlier.wall.duration(to: wall)
        return elapsed < .zero ? nil : elapsed
    }

    /// The moment `duration` later on both clocks.
    package func advanced(by duration: Duration) -> DeviceTime {
        DeviceTime(moment.advanced(by: duration), boot: boot)
    }
}
