// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Names the running boot of the system. Monotonic times are comparable only within one boot.
package enum BootIdentity {
    /// The kernel's name for this boot, 36 characters.
    ///
    /// Where the kernel does not tell (a locked-down sandbox), the name is made from the process's own id and start: it
    /// equals no other, so that times are never compared that cannot be.
    package static func current() -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = ctrackway_boot_id(&buffer, buffer.count)
        if length > 0 {
            return String(decoding: buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return "process-\(ctrackway_process_id())-\(SystemClock().now().wall.milliseconds)"
    }
}
