// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
