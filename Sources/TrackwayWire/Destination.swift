// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A back-end that receives events, as two pure functions: batch to request, and answer to verdict.
///
/// An implementation holds only settings. It never waits, never stores, never retries, and gives the same request for the
/// same batch (compression and the sending time aside), so that the back-end can recognise a batch sent twice.
public protocol Destination: Sendable {
    /// The destination's name in routes, cursors and the ledger. It must stay the same from start to start, and no two
    /// destinations of an app may share it.
    var id: DestinationID { get }

    /// The largest batch this destination wants.
    var limits: BatchLimits { get }

    /// How many of a batch's first events one request may hold: fewer than all where events of one batch must go to different
    /// places, say. Asked before ``request(for:sentAt:)``, which is then given no more. Less than 1 counts as 1, more than
    /// there are as all of them. All by default.
    ///
    /// - Complexity: at most O(bytes of the batch).
    func eventsForOneRequest(of batch: EventBatch) -> Int

    /// Encodes a batch.
    ///
    /// - Parameters:
    ///   - batch: One or more events of one writer, in order.
    ///   - sentAt: The device's wall clock now, for formats that carry it. The only thing that may differ between two
    ///     requests for the same batch.
    /// - Returns: The request. Its `leftOut` names events that the format cannot express.
    /// - Throws: `WireEncodingError` when there is nothing to send, or the destination's settings do not allow it.
    /// - Complexity: O(bytes of the batch).
    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest

    /// Judges an answer to the request for a batch.
    ///
    /// Judge carefully: `accepted` lets go of events for good. An answer that cannot be proved to be the back-end's own
    /// (a captive portal's page with status 200) is `notTheBackEnd`.
    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict
}

extension Destination {
    /// `BatchLimits()`.
    public var limits: BatchLimits { BatchLimits() }

    /// All of them.
    public func eventsForOneRequest(of batch: EventBatch) -> Int { batch.records.count }
}
