// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Sends one request over the network and returns the response.
///
/// An implementation never follows redirects (captive portals use them), never retries (delivery schedules retries),
/// stores no cookies, and limits the size of the response body. It may be called from several tasks concurrently.
public protocol Transport: Sendable {
    /// Sends a request and waits for the complete response.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - timeout: The maximum time from the call to the complete response.
    /// - Returns: The response, regardless of its status; the destination interprets the status.
    /// - Throws: `TransportError` if no complete response arrived. The back end may still have received the request.
    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse
}

/// The error of a request without a complete response.
///
/// It does not state whether the back end received the request.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem; more kinds may be added.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The code as a string.
        public let rawValue: String

        /// Creates a code, such as one that only a custom transport uses.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// No network is reachable, or the name could not be resolved.
        public static let offline = Code(rawValue: "offline")
        /// The timeout expired before the response was complete.
        public static let timedOut = Code(rawValue: "timed_out")
        /// The peer refused or closed the connection.
        public static let refused = Code(rawValue: "refused")
        /// The secure connection could not be established.
        public static let tls = Code(rawValue: "tls")
        /// The sending task was canceled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The request, for example its address, is invalid.
        ///
        /// Sending the request again cannot succeed.
        public static let invalidRequest = Code(rawValue: "invalid_request")
        /// Any other problem.
        public static let other = Code(rawValue: "other")

        /// The code as a string.
        public var description: String { rawValue }
    }

    /// The kind of problem.
    public var code: Code
    /// A human-readable message.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String = "") {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String {
        message.isEmpty ? code.rawValue : "\(code.rawValue): \(message)"
    }
}
