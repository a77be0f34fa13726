// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A connection to a NATS cluster for requests.
///
/// Implemented by ``NATSClient`` and by tests.
package protocol NATSRequesting: Sendable {
    /// The connection in use, or nil.
    var connection: NATSConnection? { get }

    /// Why connecting failed; nil if unknown.
    var trouble: String? { get }

    /// Sends a request and returns its reply.
    ///
    /// - Throws: ``NATSRequestFailure``, which distinguishes whether the request may have arrived.
    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage

    /// Sends a request to all subscribers of a subject, and collects replies.
    ///
    /// Returns those that arrived in time.
    ///
    /// - Throws: ``NATSRequestFailure`` if none arrived.
    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage]

    /// Closes a connection, unless it has already ended, and moves to the next server.
    func leave(_ number: UInt64)
}

extension NATSClient: NATSRequesting {}
