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
