// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The checksum of a Sensors Analytics form body: the 32-bit string hash `h = 31·h + unit` over the text's UTF-16 units,
/// wrapping, as a signed number.
package enum SensorsAnalyticsChecksum {
    /// The checksum of a text.
    ///
    /// - Complexity: O(length).
    package static func of(_ text: String) -> Int32 {
        text.utf16.reduce(0) { hash, unit in 31 &* hash &+ Int32(unit) }
    }
}
