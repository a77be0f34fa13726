// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The line that remains of an erased event in a stored batch.
///
/// The placeholder keeps the indexes and the sequence numbers of the events after it. Admission rejects events without
/// a name, so no accepted event looks like a placeholder.
public enum ErasedPlaceholder: String, Sendable, Hashable {
    /// An accepted event.
    case accepted = "{}"
    /// An event that had been rejected, and that the record's header no longer lists.
    case rejected = "{ }"

    /// The reason under which the ledger lists the numbers of erased events.
    public static let reason = "erased"

    /// Recognizes a placeholder; nil for every other line.
    init?(_ line: UnsafeRawBufferPointer) {
        guard line.count <= 3 else { return nil }
        self.init(rawValue: String(decoding: line, as: UTF8.self))
    }
}
