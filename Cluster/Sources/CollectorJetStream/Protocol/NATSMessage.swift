// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A message delivered by a NATS server.
package struct NATSMessage: Sendable, Hashable {
    /// The subject that the message was published to.
    ///
    /// A message read from a stream has the stream's subject, not the request's.
    package var subject: String
    /// The number of the subscription that the message is delivered to.
    package var subscription: UInt64
    /// The subject for a reply; nil if none is expected.
    package var reply: String?
    /// The headers, or nil for none.
    package var headers: NATSHeaders?
    /// The body.
    package var body: [UInt8]

    /// Creates a message.
    package init(
        subject: String,
        subscription: UInt64,
        reply: String? = nil,
        headers: NATSHeaders? = nil,
        body: [UInt8] = []
    ) {
        self.subject = subject
        self.subscription = subscription
        self.reply = reply
        self.headers = headers
        self.body = body
    }

    /// The status of a message without a body; otherwise nil.
    ///
    /// For example, the status is 503 for a subject without subscribers.
    package var status: Int? { body.isEmpty ? headers?.status : nil }
}

/// A message that the server sends.
package enum NATSServerMessage: Sendable, Hashable {
    /// Describes the server: sent first, and again after a change.
    case info(NATSServerInfo)
    /// A message for a subscription.
    case message(NATSMessage)
    /// Asks whether the client is alive.
    case ping
    /// Answers the client's `PING`.
    case pong
    /// Accepts a command. Sent only if the client requested it.
    case ok
    /// Rejects a command, and usually ends the connection.
    case error(String)
}

/// A violation of the protocol in a connection's bytes.
///
/// The connection is unusable afterward.
package struct NATSProtocolError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that was violated.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A line exceeds the maximum length of a server's lines.
        case lineTooLong
        /// A line does not begin with a known operation.
        case unknownOperation
        /// A line has a known operation with invalid arguments.
        case malformedLine
        /// A message exceeds this client's maximum message length.
        case messageTooLong
        /// A message does not end at the announced length.
        case missingLineEnd
        /// The headers of a message are invalid.
        case malformedHeaders
        /// The server's `INFO` is invalid.
        case malformedInfo
    }

    /// The rule that was violated.
    package var code: Code
    /// The offending bytes, shortened, as readable text.
    package var excerpt: String

    /// Creates an error with an excerpt of the offending bytes.
    package init(_ code: Code, _ bytes: some Sequence<UInt8> = []) {
        self.code = code
        excerpt = String(
            decoding: bytes.prefix(48).map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: ".") },
            as: UTF8.self
        )
    }

    package var description: String {
        excerpt.isEmpty ? "\(code.rawValue)" : "\(code.rawValue) (“\(excerpt)”)"
    }
}
