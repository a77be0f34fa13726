// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// Identifies the current boot.
///
/// Monotonic times are comparable only within one boot.
package enum BootIdentity {
    /// Returns the kernel's id of this boot, 36 characters.
    ///
    /// The id is hashed on Apple systems, and must not leave the device. If the kernel does not provide an id, for
    /// example in a restrictive sandbox, the id is made from the process id and the time of the first call. It then
    /// differs from the id of every other process, so that times of different processes are never compared.
    package static func current() -> String {
        text { ctrackway_boot_id(&$0, $0.count) } ?? fallbackID
    }

    /// Returns this boot's id for an installation, 36 characters.
    ///
    /// The id is a keyed hash: neither the kernel's id nor the id for another folder can be derived from it.
    ///
    /// - Parameter folder: The installation's folder. All its processes get the same id.
    package static func current(in folder: String) -> String {
        text { ctrackway_boot_id_for(folder, &$0, $0.count) } ?? fallbackID
    }

    /// Returns a boot's id in a form that an app may send.
    ///
    /// - Parameters:
    ///   - boot: The kernel's id of the boot.
    ///   - installation: A text that distinguishes this app from others.
    package static func obfuscated(_ boot: String, for installation: String) -> String {
        var shift: Int64 = 0
        return text { buffer in
            ctrackway_disguise_boot(boot, installation, &buffer, &shift)
            return 36
        } ?? ""
    }

    /// The process's substitute for a missing boot id.
    private static let fallbackID = "process-\(ctrackway_process_id())-\(SystemClock().now().wall.milliseconds)"

    /// - Parameter fill: writes a text and returns its length.
    private static func text(_ fill: (inout [CChar]) -> Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = fill(&buffer)
        guard length > 0 else { return nil }
        return String(decoding: buffer.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
