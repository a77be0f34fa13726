// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore
import TrackwayLifecycle

extension DeviceTime {
    /// Returns the time `milliseconds` after the boot of a test device.
    ///
    /// The boot was at a wall time of 1,700,000,000 s.
    static func at(_ milliseconds: Int64, boot: String = "a") -> DeviceTime {
        DeviceTime(
            wall: Timestamp(milliseconds: 1_700_000_000_000 + milliseconds),
            monotonic: MonotonicTime(milliseconds: milliseconds),
            boot: boot
        )
    }
}
