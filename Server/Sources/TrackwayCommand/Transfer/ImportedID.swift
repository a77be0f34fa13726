// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Ids derived from the content of an imported file (UUID version 8).
///
/// The same texts always give the same id. They are hashed with their lengths, so that different lists of texts never
/// have the same hash input.
enum ImportedID {
    /// Returns the installation id for these texts.
    static func installation(_ texts: [String]) -> InstallationID {
        let (high, low) = words(["imported installation"] + texts)
        return InstallationID(high: high & ~0xF000 | 0x8000, low: low & (1 << 62 - 1) | 1 << 63)
    }

    /// Returns the event id for these texts.
    ///
    /// The first 48 bits of the id are the event's time, as in ids created on a device.
    static func event(at time: Timestamp, _ texts: [String]) -> EventID {
        let (high, low) = words(["imported event"] + texts)
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
