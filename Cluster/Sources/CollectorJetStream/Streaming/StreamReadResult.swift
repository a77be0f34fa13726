// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayJournal

/// The result of a request for a stream's records.
///
/// A value type.
///
/// A short response does not imply loss: records are used as long as each directly follows the previous one. A gap
/// exists only if a server answers with a later record instead of the requested one.
enum StreamReadResult: Sendable, Hashable {
    /// Consecutive records. The stream is known to reach at least `last`.
    case records([StreamedRecord], last: UInt64)
    /// The server has no record at or after the sequence.
    ///
    /// Either the stream ends before the sequence, or the server lags behind.
    case empty
    /// The server has a later record, but not the requested one.
    case gap(next: UInt64)
    /// The stream currently cannot be read. Carries the reason, as a clause.
    case unavailable(String)

    private enum Header {
        static let sequence = "Nats-Sequence"
        /// The sequence of the previous message for the same request; 0 for the first.
        static let before = "Nats-Last-Sequence"
        /// The number of the stream's records after this one.
        static let pending = "Nats-Num-Pending"
    }

    /// Interprets the answers to a request.
    ///
    /// - Parameters:
    ///   - first: The requested sequence.
    ///   - names: The names of the stream.
    init(_ messages: [NATSMessage], from first: UInt64, of names: StreamNames) {
        var records: [StreamedRecord] = []
        var (expected, last) = (first, UInt64(0))
        for message in messages {
            if let status = message.status, message.headers?[Header.sequence] == nil {
                guard records.isEmpty else { break }
                switch status {
                case 404: self = .empty
                case 503: self = .unavailable("no server currently serves the stream \(names.stream)")
                default:
                    self = .unavailable("a server returned status \(status) (\(message.headers?.reason ?? ""))")
                }
                return
            }
            guard let headers = message.headers, let sequence = headers[Header.sequence].flatMap({ UInt64($0) }),
                (1...EventPosition.maximumSequence - 1).contains(sequence)
            else {
                self = .unavailable("a server's response has no sequence")
                return
            }
            // Messages were lost in transit. Those before the loss are used.
            if let before = headers[Header.before].flatMap({ UInt64($0) }), before != 0, before != expected - 1 {
                break
            }
            guard sequence == expected else {
                guard records.isEmpty else { break }
                self =
                    sequence > expected
                    ? .gap(next: sequence)
                    : .unavailable("a server returned record \(sequence) instead of \(expected)")
                return
            }
            records.append(
                StreamedRecord(
                    kind: headers[StreamNames.kindHeader].flatMap { FrameKind(streamName: $0) },
                    start: LogPosition(stream: names.number, sequence: sequence),
                    end: names.position(after: sequence),
                    payload: message.body
                )
            )
            last = max(sequence, sequence &+ (headers[Header.pending].flatMap { UInt64($0) } ?? 0))
            expected = sequence + 1
        }
        self = records.isEmpty ? .unavailable("the response has no records") : .records(records, last: last)
    }
}

/// Why a stream's records cannot be read any further.
package enum StreamFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A record is permanently lost.
    case gap(stream: String, sequence: UInt64, next: UInt64)
    /// The stream ends before a record that it acknowledged.
    case missing(stream: String, sequence: UInt64)
    /// The stream currently cannot be read.
    case unavailable(stream: String, sequence: UInt64, String)

    /// Whether the record is permanently lost.
    package var isGap: Bool {
        if case .gap = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .gap(let stream, let sequence, let next):
            "the stream \(stream) no longer has record \(sequence)\(next == sequence + 1 ? "" : " to \(next - 1)"), "
                + "and continues with \(next): it was purged or deleted before it was read here. Nothing is skipped; "
                + "start with an index copied from a collector that has read past it, and tables from a backup"
        case .missing(let stream, let sequence):
            "no server returns record \(sequence) of the stream \(stream), which was acknowledged; retrying. If this "
                + "persists, acknowledged records are lost: find out what happened to the servers"
        case .unavailable(let stream, let sequence, let reason):
            "the stream \(stream) cannot currently be read from record \(sequence) onward: \(reason)"
        }
    }
}
