// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayJournal

/// What a server's answers to a request for the records from a sequence on come to. A value, made of messages in their order.
///
/// A short answer is no loss: records count as far as each is the one behind the one before, and only a server that says it has
/// nothing before a later record speaks of a gap.
enum StreamAnswer: Sendable, Hashable {
    /// Records that follow one another; the stream is known to reach to `last` at least.
    case records([StreamedRecord], last: UInt64)
    /// This server has nothing at or behind the sequence: the stream ends before it, or the server lags behind.
    case nothing
    /// This server has no record of the sequence, and one behind it.
    case gap(next: UInt64)
    /// It cannot be read now, half a sentence says why.
    case unavailable(String)

    private enum Header {
        static let sequence = "Nats-Sequence"
        /// The sequence of the message sent before this one for the same request; 0 for the first.
        static let before = "Nats-Last-Sequence"
        /// So many records of the stream are behind this one.
        static let pending = "Nats-Num-Pending"
    }

    /// Reads the answers to a request.
    ///
    /// - Parameters:
    ///   - first: The sequence that was asked for.
    ///   - place: The stream.
    init(_ messages: [NATSMessage], from first: UInt64, of place: StreamPlace) {
        var records: [StreamedRecord] = []
        var (expected, last) = (first, UInt64(0))
        for message in messages {
            if let status = message.status, message.headers?[Header.sequence] == nil {
                guard records.isEmpty else { break }
                switch status {
                case 404: self = .nothing
                case 503: self = .unavailable("no server hands out the stream \(place.stream) now")
                default:
                    self = .unavailable("a server answered with status \(status) (\(message.headers?.reason ?? ""))")
                }
                return
            }
            guard let headers = message.headers, let sequence = headers[Header.sequence].flatMap({ UInt64($0) }),
                (1...EventPosition.maximumSequence - 1).contains(sequence)
            else {
                self = .unavailable("a server's answer names no sequence")
                return
            }
            // Something was lost on the way from the server: what came before it counts.
            if let before = headers[Header.before].flatMap({ UInt64($0) }), before != 0, before != expected - 1 {
                break
            }
            guard sequence == expected else {
                guard records.isEmpty else { break }
                self =
                    sequence > expected
                    ? .gap(next: sequence)
                    : .unavailable("a server handed out the record \(sequence) in place of \(expected)")
                return
            }
            records.append(
                StreamedRecord(
                    kind: headers[StreamPlace.kindHeader].flatMap { FrameKind(streamName: $0) },
                    start: LogPosition(stream: place.number, sequence: sequence),
                    end: place.position(behind: sequence),
                    payload: message.body
                )
            )
            last = max(sequence, sequence &+ (headers[Header.pending].flatMap { UInt64($0) } ?? 0))
            expected = sequence + 1
        }
        self = records.isEmpty ? .unavailable("the answer came to nothing") : .records(records, last: last)
    }
}

/// Why a stream's records cannot be read on.
package enum StreamFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A record is gone for good.
    case gap(stream: String, sequence: UInt64, next: UInt64)
    /// The stream ends before a record that it acknowledged.
    case missing(stream: String, sequence: UInt64)
    /// Not now.
    case unavailable(stream: String, sequence: UInt64, String)

    /// Whether the record is gone for good.
    package var isGap: Bool {
        if case .gap = self { true } else { false }
    }

    package var description: String {
        switch self {
        case .gap(let stream, let sequence, let next):
            "the stream \(stream) has no record \(sequence)\(next == sequence + 1 ? "" : " to \(next - 1)") any more, and goes on with "
                + "\(next): it was purged or deleted before it was read here. Nothing is passed over; begin with a copy of the "
                + "index of a collector that is past it, and with tables from a backup"
        case .missing(let stream, let sequence):
            "no server hands out the record \(sequence) of the stream \(stream), which was acknowledged; it is asked for again. If "
                + "that stays so, acknowledged records are gone: see what became of the servers"
        case .unavailable(let stream, let sequence, let reason):
            "the stream \(stream) cannot be read from \(sequence) on now: \(reason)"
        }
    }
}
