// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// The time zones that the system knows.
enum SystemZones {
    /// Returns a zone's offsets over a range; nil for an unknown name.
    ///
    /// Thread-safe.
    ///
    /// - Complexity: O(days of the range).
    static func offsets(_ name: String, _ range: Range<Timestamp>) -> ZoneOffsets? {
        // The system also accepts ambiguous abbreviations, and names with text after a zero byte.
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            name == "UTC" || name == "GMT" || name.utf8.contains(UInt8(ascii: "/")),
            let zone = TimeZone(identifier: name)
        else {
            return nil
        }
        return ZoneOffsets(name: name, covering: range) { moment in
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.milliseconds) / 1_000))
        }
    }

    /// The name of this machine's zone.
    static var current: String {
        let name = TimeZone.current.identifier
        return name.contains("/") ? name : "UTC"
    }
}
