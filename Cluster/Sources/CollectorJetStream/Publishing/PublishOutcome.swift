// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The outcome of publishing a record to a stream.
///
/// Its initializers handle every possible answer.
package enum PublishOutcome: Sendable, Hashable {
    /// A majority of the stream's members have the record.
    ///
    /// If `isRepeated` is true, the members already had the record at the same sequence.
    case stored(sequence: UInt64, isRepeated: Bool)
    /// The record is not stored; retry.
    ///
    /// The stream has no leader, or the client is not connected.
    case notStored(String)
    /// The outcome is unknown.
    ///
    /// Resend only the same record, under the same id, and do not answer the sender yet.
    case unknown(String)
    /// The first attempt is still in progress.
    case inProgress
    /// The stream is full.
    ///
    /// The record is not stored until space is freed.
    case full(String)
    /// The stream is misconfigured; retrying does not help.
    case misconfigured(String)
}

extension PublishOutcome {
    /// Why the record is not known to be stored, as a clause.
    ///
    /// Nil if the record is stored or its first attempt is in progress.
    var reason: String? {
        switch self {
        case .notStored(let reason), .unknown(let reason), .full(let reason), .misconfigured(let reason): reason
        case .stored, .inProgress: nil
        }
    }

    /// JetStream's error codes that are handled separately.
    private enum ErrorNumber {
        static let unavailable: Int64 = 10_008
        static let tooLong: Int64 = 10_054
        static let otherStream: Int64 = 10_060
        static let wrongSequence: Set<Int64> = [10_071, 10_164]
        static let full: Int64 = 10_077
        static let inProgress: Int64 = 10_158
    }

    /// Interprets an answer from NATS.
    ///
    /// - Parameter stream: The stream that the record was published to.
    package init(_ answer: NATSMessage, stream: String) {
        if let status = answer.status {
            self =
                status == 503
                ? .notStored("the stream \(stream) currently has no leader, or does not exist")
                : .unknown("NATS returned status \(status)")
            return
        }
        let json: JSONValue
        do {
            json = try JSONValue.parse(answer.body)
        } catch {
            self = .unknown("the response from NATS is invalid: \(error)")
            return
        }
        if let error = json["error"], error.object != nil {
            self.init(error: error, stream: stream)
            return
        }
        guard let name = json["stream"]?.string, let sequence = json["seq"]?.integer, sequence > 0 else {
            self = .unknown("the response from NATS has no sequence")
            return
        }
        guard name == stream else {
            self = .misconfigured("the stream \(name) accepts records for \(stream); check the subjects of both")
            return
        }
        self = .stored(sequence: UInt64(sequence), isRepeated: json["duplicate"]?.boolean ?? false)
    }

    private init(error: JSONValue, stream: String) {
        let number = error["err_code"]?.integer ?? 0
        let reason = error["description"]?.string ?? "no reason given"
        let text = "NATS reported “\(reason)” (\(number))"
        switch number {
        case ErrorNumber.inProgress:
            self = .inProgress
        case ErrorNumber.unavailable:
            self = .notStored(text)
        case ErrorNumber.full:
            self = .full("the stream \(stream) is full; raise its max_bytes (\(text))")
        case ErrorNumber.otherStream:
            self = .misconfigured(
                "a stream other than \(stream) accepts its subjects; check the subjects of both (\(text))"
            )
        case ErrorNumber.tooLong:
            self = .misconfigured("max_msg_size of the stream \(stream) is too small for a record (\(text))")
        case let number where ErrorNumber.wrongSequence.contains(number):
            self = .misconfigured("the stream \(stream) checked a sequence, but the record has none (\(text))")
        default:
            // Status 503 means that the record is not stored. For any other error, it is unknown whether the record is
            // stored.
            switch error["code"]?.integer {
            case 503: self = .notStored(text)
            default: self = .unknown(text)
            }
        }
    }

    /// Interprets a request failure.
    package init(_ failure: NATSRequestFailure) {
        switch failure {
        case .notConnected:
            self = .notStored("not connected to the NATS cluster")
        case .tooLong(let bytes, let limit):
            self = .misconfigured(
                "a record has \(bytes) bytes, but NATS accepts only \(limit); set max_payload of its servers to 8MB"
            )
        case .unanswered:
            self = .unknown("the NATS cluster is not responding")
        case .connectionLost:
            self = .unknown("the connection to the NATS cluster was lost before the response arrived")
        }
    }
}
