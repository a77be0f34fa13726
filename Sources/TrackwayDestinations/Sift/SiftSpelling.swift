// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How the format spells names of constants: snake case of the full name, with the prefix of its framework.
package enum SiftSpelling {
    /// The name in snake case: an underscore before an upper-case letter whose predecessor is a lower-case one, or whose
    /// predecessor is an upper-case and successor a lower-case one; then everything in lower case.
    ///
    /// `UIDeviceBatteryStateFull` becomes `ui_device_battery_state_full`, `CMMagneticField` becomes `cm_magnetic_field`.
    ///
    /// - Returns: The spelling; nil for a name that is not ASCII.
    /// - Complexity: O(length).
    package static func snakeCase(_ name: String) -> String? {
        let letters = Array(name.utf8)
        guard letters.allSatisfy({ $0 < 0x80 }) else { return nil }
        var spelled: [UInt8] = []
        spelled.reserveCapacity(letters.count + 8)
        for (place, letter) in letters.enumerated() {
            if place > 0, isUpper(letter) {
                let before = letters[place - 1]
                let beginsWord = place + 1 < letters.count && isLower(letters[place + 1]) && isUpper(before)
                if isLower(before) || beginsWord { spelled.append(UInt8(ascii: "_")) }
            }
            spelled.append(isUpper(letter) ? letter | 0x20 : letter)
        }
        return String(decoding: spelled, as: UTF8.self)
    }

    private static func isUpper(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
    }

    private static func isLower(_ letter: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
    }
}
