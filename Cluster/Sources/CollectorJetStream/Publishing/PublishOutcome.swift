// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What has become of a record that was published to a stream: the table of all answers.
package enum PublishOutcome: Sendable, Hashable {
    /// A majority of the stream's members has it. `isRepeated` when it had it before, at the same place.
    case stored(sequence: UInt64, isRepeated: Bool)
    /// It is not stored: the stream has no leader now, or there is no connection. Asking again is the thing to do.
    case notStored(String)
    /// Nobody knows. Only the same record under the same id may be sent again; nothing may be answered.
    case unknown(String)
    /// The first attempt is on its way still.
    case inProcess
    /// The stream is full; it will not be stored before somebody makes room.
    case full(String)
    /// The stream is not what it has to be: asking again is of no use.
    case misconfigured(String)
}

extension PublishOutcome {
    /// Half a sentence that says why it is not known to be stored; nil where there is nothing to say.
    var reason: String? {
        switch self {
        case .notStored(let reason), .unknown(let reason), .full(let reason), .misconfigured(let reason): reason
        case .stored, .inProcess: nil
        }
    }

    /// JetStream's numbers of errors, as far as they are told apart.
    private enum ErrorNumber {
        static let unavailable: Int64 = 10_008
        static let tooLong: Int64 = 10_054
        static let otherStream: Int64 = 10_060
        static let wrongSequence: Set<Int64> = [10_071, 10_164]
        static let full: Int64 = 10_077
        static let inProcess: Int64 = 10_158
    }

    /// What an answer means.
    ///
    /// - Parameter stream: The stream that is to have it.
    package init(_ answer: NATSMessage, stream: String) {
        if let status = answer.status {
            self =
                status == 503
                ? .notStored("the stream \(stream) has no leader now, or does not exist")
                : .unknown("the engine answered with status \(status)")
            return
        }
        let json: JSONValue
        do {
            json = try JSONValue.parse(answer.body)
        } catch {
            self = .unknown("the engine's answer cannot be read: \(error)")
            return
        }
        if let error = json["error"], error.object != nil {
            self.init(error: error, stream: stream)
            return
        }
        guard let name = json["stream"]?.string, let sequence = json["seq"]?.integer, sequence > 0 else {
            self = .unknown("the engine's answer names no place")
            return
        }
        guard name == stream else {
            self = .misconfigured("the stream \(name) takes what belongs into \(stream); see the subjects of both")
            return
        }
        self = .stored(sequence: UInt64(sequence), isRepeated: json["duplicate"]?.boolean ?? false)
    }

    private init(error: JSONValue, stream: String) {
        let number = error["err_code"]?.integer ?? 0
        let words = error["description"]?.string ?? "no reason given"
        let text = "the engine says “\(words)” (\(number))"
        switch number {
        case ErrorNumber.inProcess:
            self = .inProcess
        case ErrorNumber.unavailable:
            self = .notStored(text)
        case ErrorNumber.full:
            self = .full("the stream \(stream) is full; raise its max_bytes (\(text))")
        case ErrorNumber.otherStream:
            self = .misconfigured(
                "another stream than \(stream) takes its subjects; see the subjects of both (\(text))"
            )
        case ErrorNumber.tooLong:
            self = .misconfigured("max_msg_size of the stream \(stream) is too small for a record (\(text))")
        case let number where ErrorNumber.wrongSequence.contains(number):
            self = .misconfigured("somebody asks the stream \(stream) for a sequence that no record names (\(text))")
        default:
            // 409 and 503 say so by their class. Of any other error it is not known whether the record is stored.
            switch error["code"]?.integer {
            case 503: self = .notStored(text)
            default: self = .unknown(text)
            }
        }
    }

    /// What it means that there is no answer.
    package init(_ failure: NATSRequestFailure) {
        switch failure {
        case .notConnected:
            self = .notStored("there is no connection to the engine")
        case .tooLong(let bytes, let longest):
            self = .misconfigured(
                "a record has \(bytes) bytes and the engine takes \(longest); raise max_payload of its servers to 8MB"
            )
        case .unanswered:
            self = .unknown("the engine does not answer")
        case .connectionLost:
            self = .unknown("the connection to the engine ended before it answered")
        }
    }
}
