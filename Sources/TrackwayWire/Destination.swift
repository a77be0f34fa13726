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

/// The largest batch a destination wants to be asked for.
public struct BatchLimits: Sendable, Hashable {
    /// At most this many events, 1 or more.
    public var events: Int
    /// At most this many bytes of recorded events before encoding and compression. One event larger than this still
    /// travels, alone.
    public var bytes: Int

    /// Makes limits; values below 1 are raised to 1.
    ///
    /// - Parameters:
    ///   - events: 1,000 by default: enough for compression to work and for one answer to settle much.
    ///   - bytes: 512 KiB by default, the common ground of receivers.
    public init(events: Int = 1_000, bytes: Int = 512 * 1024) {
        self.events = max(1, events)
        self.bytes = max(1, bytes)
    }
}

/// A batch that a destination cannot turn into a request.
public struct WireEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stood in the way.
    public enum Code: Sendable, Hashable {
        /// The format can express none of the batch's events; `leftOut` says why for each.
        case nothingToSend
        /// The request would be larger than the back-end takes; one of fewer events may not be. A single event that is
        /// too large becomes a dead letter.
        case tooLarge
        /// The destination's own settings do not allow a request (its address is no address, say).
        case misconfigured
    }

    /// What stood in the way.
    public var code: Code
    /// A sentence for humans.
    public var message: String
    /// The records that cannot be expressed, and why; all of them for `nothingToSend`.
    public var leftOut: [Rejection]

    /// Makes an error.
    public init(_ code: Code, _ message: String, leftOut: [Rejection] = []) {
        self.code = code
        self.message = message
        self.leftOut = leftOut
    }

    /// The sentence.
    public var description: String { message }
}
