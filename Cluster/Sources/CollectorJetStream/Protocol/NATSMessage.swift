// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A message as a server of NATS delivers it.
package struct NATSMessage: Sendable, Hashable {
    /// Where it was published. A message of a stream keeps the stream's subject, not the one it was asked for on.
    package var subject: String
    /// The number of the subscription it is delivered for.
    package var subscription: UInt64
    /// Where an answer is expected; nil when none is.
    package var reply: String?
    /// Its headers; nil when it has none.
    package var headers: NATSHeaders?
    /// Its content.
    package var body: [UInt8]

    /// A message.
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

    /// The status that stands for an answer, such as 503 when nobody listens at a subject; nil in a message with a content of
    /// its own.
    package var status: Int? { body.isEmpty ? headers?.status : nil }
}

/// Everything that a server says.
package enum NATSServerMessage: Sendable, Hashable {
    /// Who it is: first of all, and again when something has changed.
    case info(NATSServerInfo)
    /// A message of a subscription.
    case message(NATSMessage)
    /// It wants to know whether this side is there.
    case ping
    /// It is there.
    case pong
    /// It took a command; said only to those who want to hear it.
    case ok
    /// It refuses something, and mostly ends the connection.
    case error(String)
}

/// What the bytes of a connection break of the protocol. A connection that brought such bytes is of no use any more.
package struct NATSProtocolError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which rule.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A line is longer than any that a server sends.
        case lineTooLong
        /// A line begins with no word of the protocol.
        case unknownOperation
        /// A line has a word of the protocol, and not the arguments that belong to it.
        case malformedLine
        /// A message is longer than this side takes.
        case messageTooLong
        /// A message does not end where its line says.
        case missingLineEnd
        /// The headers of a message cannot be read.
        case malformedHeaders
        /// What a server says of itself cannot be read.
        case malformedInfo
    }

    /// Which rule.
    package var code: Code
    /// What came, shortened, for a person.
    package var excerpt: String

    /// An error with the beginning of what came.
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
