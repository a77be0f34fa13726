// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// An event that a destination will never accept, taken out of the way with the reason.
package struct DeadLetter: Sendable, Hashable {
    /// Its sequence number.
    package let sequence: UInt64
    /// The reason it is counted under.
    package let reason: DropReason
    /// The back-end's code, for people.
    package let code: String
    /// The back-end's sentence, for people.
    package let message: String

    /// Makes one.
    package init(sequence: UInt64, reason: DropReason, code: String = "", message: String = "") {
        self.sequence = sequence
        self.reason = reason
        self.code = code
        self.message = message
    }

    /// What is kept for inspection: who and why, then the event as it was recorded.
    func fileBytes(destination: DestinationID, writer: WriterID, payload: ArraySlice<UInt8>) -> [UInt8] {
        var lines = CheckedLines()
        lines.add("destination", destination)
        lines.add("writer", writer)
        lines.add("sequence", sequence)
        lines.add("reason", reason)
        lines.add("code", Self.oneLine(code))
        lines.add("message", Self.oneLine(message))
        return lines.bytes + payload
    }

    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.prefix(500).map { $0.value < 32 ? " " : Character($0) })
    }
}
