// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

/// A record of the intake log, or of a stream, taken apart as far as that needs no store. Whoever follows records reads them so,
/// and hands them to a ``RecordWalk``.
public enum KeptRecord: Sendable {
    /// An accepted batch, with the first bytes and the length of its record, should it turn out to be unreadable.
    case batch(InflatedRecord, head: [UInt8], length: Int)
    /// A record that cannot be read as a batch: its first bytes and length, and why.
    case unreadable([UInt8], length: Int, message: String)
    /// A refused batch.
    case quarantine([UInt8])
    /// An erasure that an operator ordered.
    case erasure([UInt8])
    /// Events of an erased installation that came and were not kept.
    case erasedEvents([UInt8])
    /// Everything before it is forgotten.
    case reset
    /// A kind of another version, or what a log says about itself.
    case other

    /// So many bytes of a record that cannot be read are kept.
    public static let unreadableBytes = 4096

    /// Takes a record apart.
    ///
    /// - Parameters:
    ///   - start: Where it begins.
    ///   - limits: Those of admission.
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
        case .reset: self = .reset
        default: self = .other
        }
    }
}
