// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Carries one request over the network and brings the answer back.
///
/// An implementation never follows redirects (a captive portal answers with one), never retries on its own (delivery
/// decides when), keeps no cookies, and bounds the answer's body. It may be called from several tasks at once.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - timeout: The longest time from call to complete answer.
    /// - Returns: The answer, whatever its status: a status is the destination's business.
    /// - Throws: `TransportError` when no complete answer arrived. The request may still have reached the back-end.
    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse
}

/// No complete answer arrived. Says nothing about whether the back-end received the request.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stood in the way; new codes may appear.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code as text.
        public let rawValue: String

        /// Makes a code of the transport's own.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No route to any network, or the name could not be resolved.
        public static let offline = Code(rawValue: "offline")
        /// The time ran out before the answer was complete.
        public static let timedOut = Code(rawValue: "timed_out")
        /// The peer refused or broke the connection.
        public static let refused = Code(rawValue: "refused")
        /// The secure connection could not be made.
        public static let tls = Code(rawValue: "tls")
        /// The task that sent was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The request cannot be sent as it stands (its address is no address, say); sending it again cannot help.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// Anything else.
        public static let other = Code(rawValue: "other")

        /// The code as text.
        public var description: String { rawValue }
    }

    /// What stood in the way.
    public var code: Code
    /// A sentence for humans.
    public var message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String = "") {
        self.code = code
        self.message = message
    }

    /// The code and the sentence.
    public var description: String {
        message.isEmpty ? code.rawValue : "\(code.rawValue): \(message)"
    }
}
