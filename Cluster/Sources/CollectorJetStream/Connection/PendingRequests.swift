// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A client's requests that wait for replies.
///
/// A value type: resume the outcomes that it returns after releasing the lock around it.
struct PendingRequests: Sendable {
    /// The result of a request.
    typealias Answer = Result<[NATSMessage], NATSRequestFailure>

    /// A pending request.
    struct Request: Sendable {
        /// The number of replies that complete it.
        let answers: Int
        /// The continuation of the waiting caller.
        let continuation: UnsafeContinuation<Answer, Never>
        fileprivate var connection: UInt64 = 0
        fileprivate var messages: [NATSMessage] = []

        /// Creates a request that completes after this number of replies.
        init(answers: Int, _ continuation: UnsafeContinuation<Answer, Never>) {
            self.answers = answers
            self.continuation = continuation
        }
    }

    /// A finished request and its result.
    struct Outcome: Sendable {
        fileprivate let continuation: UnsafeContinuation<Answer, Never>
        fileprivate let answer: Answer

        /// Resumes the waiting caller. Do not call while holding a lock.
        func resume() { continuation.resume(returning: answer) }
    }

    private var requests: [UInt64: Request] = [:]
    private var latest: UInt64 = 0

    /// The number of pending requests.
    var count: Int { requests.count }

    /// Registers a request that is about to be sent.
    ///
    /// - Returns: The last token of its reply subject.
    mutating func add(_ request: Request, connection: UInt64) -> UInt64 {
        latest += 1
        var request = request
        request.connection = connection
        requests[latest] = request
        return latest
    }

    /// Handles a message.
    ///
    /// One that matches no request, such as a late reply, is ignored.
    ///
    /// - Returns: The request that it completes, if any.
    mutating func received(_ message: NATSMessage, inbox: String) -> Outcome? {
        guard message.subject.hasPrefix(inbox), let token = UInt64(message.subject.dropFirst(inbox.count + 1)),
            var request = requests[token]
        else { return nil }
        request.messages.append(message)
        // A message with a status ends the replies or replaces them; nothing follows it.
        guard request.messages.count >= request.answers || message.status != nil else {
            requests[token] = request
            return nil
        }
        requests[token] = nil
        return Outcome(continuation: request.continuation, answer: .success(request.messages))
    }

    /// Handles the timeout of a request.
    mutating func timeout(_ token: UInt64) -> Outcome? {
        guard let request = requests.removeValue(forKey: token) else { return nil }
        let answer: Answer =
            request.messages.isEmpty
            ? .failure(.unanswered(connection: request.connection)) : .success(request.messages)
        return Outcome(continuation: request.continuation, answer: answer)
    }

    /// Fails all requests of a connection that ended.
    mutating func lost(connection: UInt64) -> [Outcome] {
        let lost = requests.filter { $0.value.connection == connection }
        for token in lost.keys { requests[token] = nil }
        return lost.values.map {
            Outcome(continuation: $0.continuation, answer: .failure(.connectionLost(connection: connection)))
        }
    }
}

/// Why a request has no reply.
package enum NATSRequestFailure: Error, Sendable, Hashable {
    /// Not connected; nothing was sent.
    case notConnected
    /// The message is longer than the server accepts; nothing was sent.
    case tooLong(bytes: Int, longest: Int)
    /// No reply arrived in time. Whether the request arrived is unknown.
    case unanswered(connection: UInt64)
    /// The connection ended. Whether the request arrived is unknown.
    case connectionLost(connection: UInt64)
}
