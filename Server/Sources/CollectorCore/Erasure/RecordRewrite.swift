// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayJournal

/// The erasure that last changed a record of a stream, and what it removed from the record.
///
/// Stored with the changed record, so that no count is lost if a process is killed.
public struct RecordRewrite: Sendable, Hashable {
    /// The erasure's id.
    public var erasure: String
    /// What the erasure removed from the record.
    public var counts: ErasedCounts

    /// Creates a value.
    public init(erasure: String, counts: ErasedCounts) {
        self.erasure = erasure
        self.counts = counts
    }

    /// The value as one JSON object.
    public var text: String {
        String(
            decoding: JSONWriter.withThreadBuffer { writer in
                writer.beginObject()
                writer.member("erasure", erasure)
                counts.write(to: &writer)
                writer.endObject()
                return writer.array()
            },
            as: UTF8.self
        )
    }

    /// Reads a value; nil if invalid.
    public init?(_ text: String) {
        guard let json = try? JSONValue.parse(Array(text.utf8)), let erasure = json["erasure"]?.string else {
            return nil  // Without counts, the receipt counts only what is removed later.
        }
        self.init(erasure: erasure, counts: ErasedCounts(json: json))
    }
}

/// Replaces records of a stream by records without erased people.
public protocol RecordRewriting: Sendable {
    /// Creates the stream of replacements if missing, and verifies its durability.
    ///
    /// - Throws: ``StreamMaintenanceError`` if replacements would be less durable than the records.
    func prepareRewriting() async throws(StreamMaintenanceError)

    /// Stores a replacement, then deletes the record and its earlier replacements, and overwrites their bytes.
    ///
    /// Readers find either the record or its replacement at the same position.
    ///
    /// - Throws: ``StreamMaintenanceError``; the replacement may be stored anyway. The call can be repeated.
    func replace(
        _ sequence: UInt64,
        _ kind: FrameKind,
        _ payload: [UInt8],
        _ rewrite: RecordRewrite
    ) async throws(StreamMaintenanceError)

    /// Deletes replacements that were replaced themselves, and that a killed process left behind.
    ///
    /// - Throws: ``StreamMaintenanceError``.
    func removeSuperseded() async throws(StreamMaintenanceError)
}
