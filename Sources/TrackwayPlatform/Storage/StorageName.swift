// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Turns an app's id into the name of a folder.
///
/// Letters, digits, "-", "_" and inner dots stay; every other byte becomes "%" and two hexadecimal digits. No id leads
/// out of its parent folder, hides its folder, or shares one with another id. Long ids are cut and end in a hash.
package enum StorageName {
    /// The longest name, in bytes; file systems allow 255.
    private static let longest = 120

    /// The folder's name; `nil` for an empty id, which names no app.
    package static func make(appID: String) -> String? {
        guard !appID.isEmpty else { return nil }
        var name: [UInt8] = []
        for (index, byte) in appID.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.append(byte)
            case UInt8(ascii: ".") where index > 0:
                name.append(byte)
            default:
                name.append(UInt8(ascii: "%"))
                name += DeviceIdentity.hexadecimal([byte]).utf8
            }
        }
        if name.count > longest {
            let hash = DeviceIdentity.hexadecimal(SHA256.hash(Array(appID.utf8)).prefix(16))
            // "%%" cannot come from an id, so a cut name never equals a whole one.
            name = name.prefix(longest - 34) + Array("%%\(hash)".utf8)
        }
        return String(decoding: name, as: UTF8.self)
    }
}
