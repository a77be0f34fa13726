// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What is asked of an engine: requests, answers, and who answers now. ``NATSClient`` is the one there is; tests bring theirs.
package protocol StreamEngine: Sendable {
    /// The connection in use; nil while there is none.
    var connection: NATSConnection? { get }

    /// Why there is no connection, in words; nil when that is not known.
    var trouble: String? { get }

    /// Sends a request and returns its answer.
    ///
    /// - Throws: ``NATSRequestFailure``, which says whether the request may have arrived.
    func request(
        _ subject: String,
        headers: NATSHeaders?,
        body: [UInt8],
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> NATSMessage

    /// Sends a request to everybody who listens at a subject, and returns the answers that came in time.
    ///
    /// - Throws: ``NATSRequestFailure`` when there was none.
    func collect(
        _ subject: String,
        body: [UInt8],
        upTo count: Int,
        within timeout: Duration
    ) async throws(NATSRequestFailure) -> [NATSMessage]

    /// Leaves a connection for the next server, unless that has happened already.
    func leave(_ number: UInt64)
}

extension NATSClient: StreamEngine {}
