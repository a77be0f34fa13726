// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Ids derived from what a client sends, or a file contains (UUID version 8).
///
/// The same strings always give the same id. The strings are hashed with their lengths, so that different lists of
/// strings never have the same hash input.
public enum StableID {
    /// Returns the installation id for these strings.
    public static func installation(_ texts: [String]) -> InstallationID {
        let (high, low) = words(["installation"] + texts)
        return InstallationID(high: high & ~0xF000 | 0x8000, low: low & (1 << 62 - 1) | 1 << 63)
    }

    /// Returns the event id for these strings.
    ///
    /// The first 48 bits of the id are the event's time, as in ids created on the device, so that an index of ids grows
    /// at one end.
    public static func event(at time: Timestamp, _ texts: [String]) -> EventID {
        let (high, low) = words(["event"] + texts)
        let moment = UInt64(clamping: time.milliseconds) & 0xFFFF_FFFF_FFFF
        return EventID(high: moment << 16 | 0x8000 | high & 0x0FFF, low: low & (1 << 62 - 1) | 1 << 63)
    }

    private static func words(_ texts: [String]) -> (high: UInt64, low: UInt64) {
        var message: [UInt8] = []
        for text in texts {
            message += "\(text.utf8.count):".utf8
            message += text.utf8
        }
        let digest = SHA256.hash(message)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return (word(digest[0..<8]), word(digest[8..<16]))
    }
}

/// Counts the occurrences of equal records in one body.
///
/// Clients that do not number events can intentionally report the same thing twice within a millisecond. A body that is
/// sent again has the same records in the same order.
struct VendorOccurrences: Sendable {
    private var seen: [[UInt8]: Int] = [:]

    /// Returns the number of earlier occurrences of a record.
    mutating func next(_ record: [UInt8]) -> Int {
        defer { seen[record, default: 0] += 1 }
        return seen[record] ?? 0
    }
}
