// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// Names the running boot of the system. Monotonic times are comparable only within one boot.
package enum BootIdentity {
    /// The kernel's name for this boot, 36 characters; on Apple's systems disguised. It must not leave the device.
    ///
    /// Where the kernel does not tell (a locked-down sandbox), the name is made from the process's own id and start: it
    /// equals no other, so that times are never compared that cannot be.
    package static func current() -> String {
        text { ctrackway_boot_id(&$0, $0.count) } ?? ownName
    }

    /// The name of this boot for an installation, 36 characters: a keyed hash, so that neither the kernel's name nor the name in
    /// another folder follows from it.
    ///
    /// - Parameter folder: where the installation is kept. All its processes get the same name.
    package static func current(in folder: String) -> String {
        text { ctrackway_boot_id_for(folder, &$0, $0.count) } ?? ownName
    }

    /// A boot's name as an app may send it.
    ///
    /// - Parameters:
    ///   - boot: the kernel's name.
    ///   - place: what tells this app from others.
    package static func disguised(_ boot: String, for place: String) -> String {
        var shift: Int64 = 0
        return text { buffer in
            ctrackway_disguise_boot(boot, place, &buffer, &shift)
            return 36
        } ?? ""
    }

    private static var ownName: String {
        "process-\(ctrackway_process_id())-\(SystemClock().now().wall.milliseconds)"
    }

    /// - Parameter fill: writes a text and returns its length.
    private static func text(_ fill: (inout [CChar]) -> Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = fill(&buffer)
        guard length > 0 else { return nil }
        return String(decoding: buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
