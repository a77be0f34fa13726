// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Reads when a record of the intake log arrived.
public enum RecordArrival {
    /// Returns the member `received` of a record's first line; nil if there is none.
    ///
    /// All records that the collector appends have this member, except resets and records about the log itself.
    ///
    /// - Complexity: O(bytes of the first line).
    public static func time(_ payload: UnsafeRawBufferPointer) -> Timestamp? {
        let line = LineSplitter.endOfLine(payload, from: 0)
        do throws(JSONError) {
            var scanner = try JSONScanner(UnsafeRawBufferPointer(rebasing: payload[..<line]))
            try scanner.enterObject()
            while let key = try scanner.nextKey() {
                guard scanner.text(key, equals: "received") else {
                    try scanner.skipValue()
                    continue
                }
                guard case .integer(let value) = try scanner.readNumber() else { return nil }
                return Timestamp(milliseconds: value)
            }
        } catch {
            // The record is not JSON, or damaged.
        }
        return nil
    }
}
