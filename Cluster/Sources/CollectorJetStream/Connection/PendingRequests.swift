// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The requests of a client that are waiting for replies.
///
/// A value type. Release the lock around it before resuming the outcomes that it returns.
struct PendingRequests: Sendable {
    /// The result of a request.
    typealias Reply = Result<[NATSMessage], NATSRequestFailure>

    /// A pending request.
    struct Request: Sendable {
        /// The number of replies that complete the request.
        let replyCount: Int
        /// The continuation of the waiting caller.
        let continuation: UnsafeContinuation<Reply, Never>
        fileprivate var connection: UInt64 = 0
        fileprivate var messages: [NATSMessage] = []

        /// Creates a request that completes after the given number of replies.
        init(replyCount: Int, _ continuation: UnsafeContinuation<Reply, Never>) {
            self.replyCount = replyCount
            self.continuation = continuation
        }
    }

    /// A finished request and its result.
    struct Outcome: Sendable {
        fileprivate let continuation: UnsafeContinuation<Reply, Never>
        fileprivate let reply: Reply

        /// Resumes the waiting caller. Do not call while holding a lock.
        func resume() { continuation.resume(returning: reply) }
    }

    private var requests: [UInt64: Request] = [:]
    private var latest: UInt64 = 0

    /// The number of pending requests.
    var count: Int { requests.count }

    /// Registers a request that is about to be sent.
    ///
    /// - Returns: The last token of the request's reply subject.
    mutating func add(_ request: Request, connection: UInt64) -> UInt64 {
        latest += 1
        var request = request
        request.connection = connection
        requests[latest] = request
        return latest
    }

    /// Handles a received message.
    ///
    /// A message that matches no request, such as a late reply, is ignored.
    ///
    /// - Returns: The outcome of the request that the message completes; nil if it completes none.
    mutating func receive(_ message: NATSMessage, inbox: String) -> Outcome? {
        guard message.subject.hasPrefix(inbox), let token = UInt64(message.subject.dropFirst(inbox.count + 1)),
            var request = requests[token]
        else { return nil }
        request.messages.append(message)
        // A message with a status ends or replaces the replies; no reply follows it.
        guard request.messages.count >= request.replyCount || message.status != nil else {
            requests[token] = request
            return nil
        }
        requests[token] = nil
        return Outcome(continuation: request.continuation, reply: .success(request.messages))
    }

    /// Handles the timeout of a request.
    mutating func expire(_ token: UInt64) -> Outcome? {
        guard let request = requests.removeValue(forKey: token) else { return nil }
        let reply: Reply =
            request.messages.isEmpty
            ? .failure(.unanswered(connection: request.connection)) : .success(request.messages)
        return Outcome(continuation: request.continuation, reply: reply)
    }

    /// Fails all requests on a connection that ended.
    mutating func connectionLost(_ connection: UInt64) -> [Outcome] {
        let lost = requests.filter { $0.value.connection == connection }
        for token in lost.keys { requests[token] = nil }
        return lost.values.map {
            Outcome(continuation: $0.continuation, reply: .failure(.connectionLost(connection: connection)))
        }
    }
}

/// Why a request has no reply.
package enum NATSRequestFailure: Error, Sendable, Hashable {
    /// The client is not connected; nothing was sent.
    case notConnected
    /// The message is longer than the server accepts; nothing was sent.
    case tooLong(bytes: Int, limit: Int)
    /// No reply arrived in time. Whether the request arrived is unknown.
    case unanswered(connection: UInt64)
    /// The connection ended. Whether the request arrived is unknown.
    case connectionLost(connection: UInt64)
}
