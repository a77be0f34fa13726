// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
public import TrackwayDestinations
internal import TrackwayEvents

extension SiftEvent {
    /// Events as the body of a request in the format, before it is packed: `{"data":[…]}`. Events that make no sense
    /// (``sanityCheck()``) are left out.
    ///
    /// - Parameters:
    ///   - events: the events, in the order they are to be written; nil is none.
    ///   - edition: which client's set of keys app state and device properties have.
    /// - Returns: JSON as UTF-8.
    @nonobjc public class func listRequest(
        _ events: [SiftEvent]?,
        edition: SiftDestination.Edition = .legacy
    ) -> Data {
        let sane = (events ?? []).map(\.content).filter { $0.faults.isEmpty }
        return Data(SiftDestination.list(sane.map(\.recorded), edition: edition))
    }
}

extension SiftContent {
    /// The event as it would be recorded, for writing only: it has no identity.
    fileprivate var recorded: Event {
        Event(
            id: EventID(high: 0, low: 0),
            name: recordedName,
            time: Timestamp(milliseconds: Int64(clamping: time)),
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: recordedAttributes
        )
    }
}
