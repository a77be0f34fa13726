// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A connection to a NATS cluster for requests.
///
/// Implemented by ``NATSClient`` and by tests.
package protocol NATSRequesting: Sendable {
    /// The connection in use, or nil.
    var connection: NATSConnection? { get }

    /// Why connecting failed; nil if unknown.
    var connectionError: String? { get }

    /// Sends a request and returns its reply.
    ///
    /// - Throws: ``NATSRequestFailure``, which indicates whether the request may have arrived.
    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage

    /// Sends a request to a subject's subscribers and collects their replies.
    ///
    /// Returns the replies that arrived in time.
    ///
    /// - Throws: ``NATSRequestFailure`` if no reply arrived.
    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage]

    /// Closes a connection and moves to the next server.
    ///
    /// Does nothing if the connection has already ended.
    func dropConnection(_ number: UInt64)
}

extension NATSClient: NATSRequesting {}
