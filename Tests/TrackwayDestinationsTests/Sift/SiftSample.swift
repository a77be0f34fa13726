// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// Events for a Sift back end, and the contents of its requests.
enum SiftSample {
    static let installation = InstallationID(high: 0x9F1C_7B52_6E0A_4D0B, low: 0x9F3E_2A7E_3B0C_1D2E)
    static let sentAt = Timestamp(milliseconds: 1_750_000_060_000)
    static let signedIn = RecordedContext(user: .init(id: "user-42"))

    static func destination(_ edition: SiftDestination.Edition = .legacy) -> SiftDestination {
        SiftDestination(
            accountID: "acct_1",
            beaconKey: "beacon123",
            serverURLFormat: "https://sift.test/v3/accounts/%@/mobile_events",
            edition: edition
        )
    }

    static func event(
        _ name: String,
        _ attributes: Attributes = [:],
        items: [Item] = [],
        at time: Int64 = 1_750_000_000_123
    ) -> Event {
        Event(
            id: EventIDGenerator(randomBits: 7, firstCounter: 1).next(at: Timestamp(milliseconds: time)),
            name: name,
            time: Timestamp(milliseconds: time),
            monotonic: MonotonicTime(milliseconds: 5),
            attributes: attributes,
            items: items
        )
    }

    /// Returns attributes with a single key.
    static func only(_ key: String, _ value: AttributeValue) -> Attributes {
        var attributes = Attributes()
        attributes[key] = value
        return attributes
    }

    static func snapshot(_ state: AppStateSnapshot, at time: Int64 = 1_750_000_000_123) -> Event {
        event(CapturedName.appState, state.attributes, at: time)
    }

    static func snapshot(_ properties: DeviceProperties, at time: Int64 = 1_750_000_000_123) -> Event {
        event(CapturedName.deviceProperties, properties.attributes, at: time)
    }

    /// Returns a batch as the journal provides it.
    ///
    /// The events are as recorded, all in one context.
    static func batch(_ events: [Event], in context: RecordedContext = RecordedContext()) -> EventBatch {
        var bytes = context.json()
        let content = 0..<bytes.count
        let records = events.enumerated().map { index, event in
            let payload = event.json()
            defer { bytes += payload }
            return EventBatch.Record(
                sequence: UInt64(index + 1),
                context: 1,
                payload: bytes.count..<bytes.count + payload.count
            )
        }
        return EventBatch(
            installation: installation,
            writer: WriterID(high: 1, low: 2),
            first: 1,
            last: UInt64(events.count),
            recorded: UInt64(events.count),
            records: records,
            contexts: [.init(generation: 1, content: content)],
            bytes: bytes
        )
    }

    static func body(_ request: WireRequest) throws -> JSONValue {
        try JSONValue.parse(Gzip.inflate(request.body))
    }

    /// Returns an event as sent, with the codes and messages of its omitted parts.
    static func sent(
        _ event: Event,
        in context: RecordedContext = RecordedContext(),
        _ edition: SiftDestination.Edition = .legacy
    ) throws -> (json: JSONValue, trimmed: [Rejection]) {
        let request = try destination(edition).request(for: batch([event], in: context), sentAt: sentAt)
        #expect(request.omitted.isEmpty)
        let list = try #require(body(request)["data"]?.array)
        #expect(list.count == 1)
        return (try #require(list.first), request.trimmed)
    }

    /// Returns an app state as sent.
    static func state(
        _ attributes: Attributes,
        _ edition: SiftDestination.Edition = .legacy
    ) throws -> (json: JSONValue, trimmed: [Rejection]) {
        let sent = try sent(event(CapturedName.appState, attributes), edition)
        return (try #require(sent.json["ios_app_state"]), sent.trimmed)
    }

    static func sent(
        _ event: Event,
        _ edition: SiftDestination.Edition
    ) throws -> (json: JSONValue, trimmed: [Rejection]) {
        try sent(event, in: RecordedContext(), edition)
    }
}

extension JSONValue {
    /// The keys of an object, in order.
    var keys: [String] { object?.members.map(\.key) ?? [] }
}
