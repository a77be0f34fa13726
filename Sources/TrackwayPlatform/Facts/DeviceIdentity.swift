// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The id of a device for one app, which does not reveal the device.
///
/// The system's machine id must not leave the machine (see machine-id(5)). As that page recommends, it is the key of an
/// HMAC-SHA-256 over the app's id, truncated to 128 bits. The result is stable for one app on one device, differs
/// between two apps, and cannot be reversed.
package enum DeviceIdentity {
    /// Returns the device's id for an app, 32 hexadecimal digits.
    ///
    /// - Parameters:
    ///   - machineID: The system's id: 32 hexadecimal digits, not all zero.
    ///   - appID: The app's id.
    /// - Returns: `nil` if the machine id is invalid.
    package static func make(machineID: String, appID: String) -> String? {
        guard let key = bytes(hexadecimal: machineID), key.count == 16, key.contains(where: { $0 != 0 }) else {
            return nil
        }
        let hash = SHA256.authenticate(Array("trackway.device:\(appID)".utf8), key: key)
        return hash.prefix(16).hexadecimal
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
