// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A back end that receives events, as two pure functions.
///
/// One function converts a batch to a request; the other converts a response to a verdict. An implementation contains
/// only settings. It never waits, stores data, or retries, and returns the same request for the same batch (apart
/// from compression and the sending time), so that the back end can recognize a batch that is sent twice.
public protocol Destination: Sendable {
    /// The destination's ID in routes, cursors, and the ledger.
    ///
    /// The ID must stay the same across launches and be unique among the app's destinations.
    var id: DestinationID { get }

    /// The maximum size of a batch for this destination.
    var limits: BatchLimits { get }

    /// Returns the number of leading events that one request may contain.
    ///
    /// The number is less than the number of all events if, for example, events of one batch must be sent to
    /// different addresses. Called before ``request(for:sentAt:)``, which then receives only these events. Values
    /// below 1 count as 1, and values above the number of events count as all events. All events by default.
    ///
    /// - Complexity: at most O(bytes of the batch).
    func maximumEventsPerRequest(for batch: EventBatch) -> Int

    /// Encodes a batch.
    ///
    /// - Parameters:
    ///   - batch: One or more events of one writer, in order.
    ///   - sentAt: The current time of the device's wall clock, for formats that include it. Only this value may differ
    ///     between two requests for the same batch.
    /// - Returns: The request. Its `omitted` lists events that the format cannot express.
    /// - Throws: `WireEncodingError` if there is nothing to send, the request would be too large, or the
    ///   destination's settings do not allow a request.
    /// - Complexity: O(bytes of the batch).
    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest

    /// Returns the verdict on the response to the request for a batch.
    ///
    /// Be strict, because `accepted` removes events permanently. The verdict on a response that is not proven to come
    /// from the back end (such as a captive portal's page with status 200) is `unrecognizedResponse`.
    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict
}

extension Destination {
    /// The default limits.
    public var limits: BatchLimits { BatchLimits() }

    /// Returns the number of all events.
    public func maximumEventsPerRequest(for batch: EventBatch) -> Int { batch.records.count }
}

/// The maximum size of a batch for a destination.
public struct BatchLimits: Sendable, Hashable {
    /// The maximum number of events, at least 1.
    public var events: Int
    /// The maximum size of the recorded events in bytes.
    ///
    /// The size is measured before encoding and compression.
    ///
    /// A single larger event is sent alone.
    public var bytes: Int

    /// Creates limits; values below 1 are raised to 1.
    ///
    /// - Parameters:
    ///   - events: the maximum number of events; 1,000 by default, which allows effective compression and lets one
    ///     response settle many events.
    ///   - bytes: the maximum size in bytes; 512 KiB by default, which most receivers accept.
    public init(events: Int = 1_000, bytes: Int = 512 * 1024) {
        self.events = max(1, events)
        self.bytes = max(1, bytes)
    }
}

/// The error for a batch that cannot be encoded as a request.
public struct WireEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public enum Code: Sendable, Hashable {
        /// The format cannot express any of the events; `omitted` contains the reasons.
        case nothingToSend
        /// The request would be larger than the back end accepts.
        ///
        /// A request with fewer events may be small enough. A single event that is too large becomes a dead letter.
        case tooLarge
        /// The destination's settings do not allow a request.
        ///
        /// For example, the address is invalid.
        case misconfigured
    }

    /// The kind of problem.
    public var code: Code
    /// A human-readable message.
    public var message: String
    /// The records that the format cannot express, with reasons.
    ///
    /// For `nothingToSend`, these are all records of the batch.
    public var omitted: [Rejection]

    /// Creates an error.
    public init(_ code: Code, _ message: String, omitted: [Rejection] = []) {
        self.code = code
        self.message = message
        self.omitted = omitted
    }

    /// The message.
    public var description: String { message }
}
