// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// A record of the intake log or a stream, in parsed form.
///
/// Parsing requires no store.
///
/// Readers of records parse them into this form and pass it to a ``RecordVisitor``.
public enum ParsedRecord: Sendable {
    /// An accepted batch.
    ///
    /// Includes the first bytes and the length of its record, in case the batch is unreadable.
    case batch(InflatedRecord, head: [UInt8], length: Int)
    /// A record that cannot be read as a batch.
    ///
    /// Includes its first bytes, its length, and the reason.
    case unreadable([UInt8], length: Int, message: String)
    /// A rejected batch.
    case quarantine([UInt8])
    /// An erasure requested by an operator.
    case erasure([UInt8])
    /// Events of an erased installation that arrived and were not stored.
    case erasedEvents([UInt8])
    /// The erasure of a user, requested by an operator.
    case userErasure([UInt8])
    /// A merge of two users, or its withdrawal, requested by an operator.
    case userMerge([UInt8])
    /// A reset: everything before it is discarded.
    case reset
    /// A record of a kind from another version, or metadata of the log.
    case other

    /// The maximum number of bytes kept of an unreadable record.
    public static let unreadableBytes = 4096

    /// Parses a record.
    ///
    /// - Parameters:
    ///   - start: The position where the record begins.
    ///   - limits: The limits of admission.
    /// - Complexity: O(inflated bytes).
    public init(_ kind: FrameKind, _ payload: UnsafeRawBufferPointer, at start: LogPosition, limits: AdmissionLimits) {
        switch kind {
        case .intake:
            let head = Array(payload.prefix(Self.unreadableBytes))
            do {
                let batch = InflatedRecord(try IntakeRecord(payload: payload), limits: limits)
                self = .batch(batch, head: head, length: payload.count)
            } catch {
                let message = "The intake log's record at \(start) cannot be read: \(error)"
                self = .unreadable(head, length: payload.count, message: message)
            }
        case .quarantine: self = .quarantine(Array(payload))
        case .erasure: self = .erasure(Array(payload))
        case .erasedEvents: self = .erasedEvents(Array(payload))
        case .userErasure: self = .userErasure(Array(payload))
        case .userMerge: self = .userMerge(Array(payload))
        case .reset: self = .reset
        default: self = .other
        }
    }
}
