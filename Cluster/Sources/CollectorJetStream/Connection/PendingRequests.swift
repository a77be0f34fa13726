// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The requests of a client that wait for answers. A value: what it returns is resumed after the lock around it is released.
struct PendingRequests: Sendable {
    /// How one ends.
    typealias Answer = Result<[NATSMessage], NATSRequestFailure>

    /// One request.
    struct Request: Sendable {
        /// So many answers complete it.
        let answers: Int
        /// Who waits.
        let continuation: UnsafeContinuation<Answer, Never>
        fileprivate var connection: UInt64 = 0
        fileprivate var messages: [NATSMessage] = []

        /// A request that waits for so many answers.
        init(answers: Int, _ continuation: UnsafeContinuation<Answer, Never>) {
            self.answers = answers
            self.continuation = continuation
        }
    }

    /// A request that has ended, and how.
    struct Outcome: Sendable {
        fileprivate let continuation: UnsafeContinuation<Answer, Never>
        fileprivate let answer: Answer

        /// Lets who waits go on. Never with a lock held.
        func resume() { continuation.resume(returning: answer) }
    }

    private var requests: [UInt64: Request] = [:]
    private var latest: UInt64 = 0

    /// How many wait.
    var count: Int { requests.count }

    /// A request is about to be sent.
    ///
    /// - Returns: The last part of the subject at which it is answered.
    mutating func add(_ request: Request, connection: UInt64) -> UInt64 {
        latest += 1
        var request = request
        request.connection = connection
        requests[latest] = request
        return latest
    }

    /// A message came. One that nobody waits for, such as a late answer, is passed over.
    ///
    /// - Returns: The request that it completes.
    mutating func received(_ message: NATSMessage, inbox: String) -> Outcome? {
        guard message.subject.hasPrefix(inbox), let token = UInt64(message.subject.dropFirst(inbox.count + 1)),
            var request = requests[token]
        else { return nil }
        request.messages.append(message)
        // A status stands at the end of answers, or in place of them: nothing comes behind it.
        guard request.messages.count >= request.answers || message.status != nil else {
            requests[token] = request
            return nil
        }
        requests[token] = nil
        return Outcome(continuation: request.continuation, answer: .success(request.messages))
    }

    /// The time of a request is over.
    mutating func timeout(_ token: UInt64) -> Outcome? {
        guard let request = requests.removeValue(forKey: token) else { return nil }
        let answer: Answer =
            request.messages.isEmpty
            ? .failure(.unanswered(connection: request.connection)) : .success(request.messages)
        return Outcome(continuation: request.continuation, answer: answer)
    }

    /// A connection is over.
    mutating func lost(connection: UInt64) -> [Outcome] {
        let lost = requests.filter { $0.value.connection == connection }
        for token in lost.keys { requests[token] = nil }
        return lost.values.map {
            Outcome(continuation: $0.continuation, answer: .failure(.connectionLost(connection: connection)))
        }
    }
}

/// Why a request has no answer.
package enum NATSRequestFailure: Error, Sendable, Hashable {
    /// There is no connection; nothing was sent.
    case notConnected
    /// It is longer than the server takes; nothing was sent.
    case tooLong(bytes: Int, longest: Int)
    /// No answer came in time. Whether the request arrived is not known.
    case unanswered(connection: UInt64)
    /// The connection ended. Whether the request arrived is not known.
    case connectionLost(connection: UInt64)
}
