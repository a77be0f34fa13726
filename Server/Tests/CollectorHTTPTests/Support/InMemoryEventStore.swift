// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// An in-memory event store that notifies its followers of additions.
final class InMemoryEventStore: EventStore {
    private struct State: Sendable {
        var events: [StoredEvent] = []
        var indexed = EventPosition(segment: 1, offset: 16)
        var followers: [AsyncStream<EventPosition>.Continuation] = []
        var failure: StoreError?
        var erased: Set<InstallationID> = []
        var erasedUsers: Set<String> = []
        var previews: [String: ErasurePreview] = [:]
        var merges: [StoredMerge] = []
        var failureReason: String?
        var lag: String?
        var isBuilding = false
        var counts = 0
        var trendQuery: TrendQuery?
        var queries: [any Sendable] = []
        var catalog: CatalogQuery?
        var failed: FailedQuery?
        var planDigest: String?
    }

    private let state = Locked(State())

    /// Adds an event after all others, in a separate frame.
    @discardableResult
    func add(_ name: String, json: String? = nil, installation: InstallationID? = nil) -> StoredEvent {
        let (event, followers, indexed) = state.withLock { state in
            let position = state.indexed
            let number = UInt64(state.events.count)
            let id = EventID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
            let event = StoredEvent(
                position: position,
                id: id,
                name: name,
                time: Timestamp(milliseconds: 1_700_000_000_000),
                received: Timestamp(milliseconds: 1_700_000_000_500),
                installation: installation,
                json: Array((json ?? #"{"id":"\#(id)","name":"\#(name)"}"#).utf8)
            )
            state.events.append(event)
            state.indexed = EventPosition(segment: position.segment, offset: position.offset + 200)
            return (event, state.followers, state.indexed)
        }
        for follower in followers { follower.yield(indexed) }
        return event
    }

    /// Makes every query fail; nil makes queries succeed again.
    func fail(_ failure: StoreError?) {
        state.withLock { $0.failure = failure }
    }

    /// The number of times that events were counted.
    var counts: Int { state.withLock { $0.counts } }

    /// The latest trend query.
    var trendQuery: TrendQuery? { state.withLock { $0.trendQuery } }

    /// Returns the latest query of a type about users or paths.
    func latestQuery<Query>(_ type: Query.Type) -> Query? { state.withLock { $0.queries.last as? Query } }

    /// The digest of the plan used for all counts, or nil for none.
    var planDigest: String? { state.withLock { $0.planDigest } }
    func count(byPlan digest: String) { state.withLock { $0.planDigest = digest } }

    /// The number of followers.
    var followers: Int { state.withLock { $0.followers.count } }

    private func matching(_ query: EventQuery) throws(StoreError) -> [StoredEvent] {
        let (events, failure) = state.withLock { ($0.events, $0.failure) }
        if let failure { throw failure }
        return events.filter { query.names.isEmpty || query.names.contains($0.name) }
    }

    func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent] {
        let events = try matching(query)
        switch query.order {
        case .oldestFirst:
            return Array(
                events.filter { query.after == nil || $0.position > query.after ?? .start }.prefix(query.limit)
            )
        case .newestFirst:
            let before = events.reversed().filter { query.after == nil || $0.position < query.after ?? .start }
            return Array(before.prefix(query.limit))
        }
    }

    func event(_ id: EventID) async throws(StoreError) -> StoredEvent? {
        try matching(EventQuery()).first { $0.id == id }
    }

    func count(matching query: EventQuery) async throws(StoreError) -> Int {
        state.withLock { $0.counts += 1 }
        return try matching(query).count
    }

    func writers(installation: InstallationID?) async throws(StoreError) -> Int { 1 }

    func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow] {
        [
            LedgerRow(
                installation: query.installation ?? InstallationID(high: 1 << 12 | 7 << 12, low: 1 << 63),
                writer: WriterID(high: 7 << 12, low: 1 << 63),
                recorded: 10,
                received: 7,
                dropped: ["expired": 1],
                gaps: [3...4],
                lastReceived: Timestamp(milliseconds: 9)
            )
        ]
    }

    func erasures(installation: InstallationID?, limit: Int) async throws(StoreError) -> [StoredErasure] { [] }

    var failureReason: String? { state.withLock { $0.failureReason } }

    var incompleteReason: String? { state.withLock { $0.failureReason ?? $0.lag } }

    /// Makes the index lag while it follows the log; nil ends the lag.
    func lag(_ partial: String?) {
        state.withLock { $0.lag = partial }
    }

    var isBuilding: Bool { state.withLock { $0.isBuilding } }

    /// Marks the index as being built; nil marks it as complete.
    ///
    /// Meanwhile, every query fails.
    func build(_ failureReason: String?) {
        let followers = state.withLock { state in
            state.failureReason = failureReason
            state.isBuilding = failureReason != nil
            state.failure = failureReason.map { .behind($0) }
            return state.followers
        }
        for follower in followers { follower.yield(indexed) }
    }

    /// Sets the failure reason that the index reports from now on.
    func stall(_ failureReason: String?) {
        state.withLock { $0.failureReason = failureReason }
    }

    func isErased(_ installation: InstallationID) -> Bool { state.withLock { $0.erased.contains(installation) } }

    /// Marks the installation as erased from now on.
    func erase(_ installation: InstallationID) {
        state.withLock { _ = $0.erased.insert(installation) }
    }

    func isErased(user id: String) -> Bool { state.withLock { $0.erasedUsers.contains(id) } }

    var hasErasedUsers: Bool { state.withLock { !$0.erasedUsers.isEmpty } }

    /// Marks the user as erased from now on, and removes the user's preview.
    func erase(user id: String) {
        state.withLock { state in
            state.erasedUsers.insert(id)
            state.previews[id] = nil
        }
    }

    /// Sets the preview of its user's erasure.
    /// The statements about merged users, which the store returns for every user.
    var merges: [StoredMerge] {
        get { state.withLock { $0.merges } }
        set { state.withLock { $0.merges = newValue } }
    }

    func merges(connectedWith users: [String]) async throws(StoreError) -> [StoredMerge] { merges }

    func add(_ preview: ErasurePreview) {
        state.withLock { $0.previews[preview.user] = preview }
    }

    func erasurePreview(of user: String) async throws(StoreError) -> ErasurePreview? {
        let (preview, failure) = state.withLock { ($0.previews[user], $0.failure) }
        if let failure { throw failure }
        return preview
    }

    func failedGroups(in time: QueryTimeRange) async throws(StoreError) -> FailedGroups {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        var answer = FailedGroups()
        for (count, name) in [(4, "buy"), (2, nil)] as [(Int64, String?)] {
            var group = FailedGroups.Group(
                code: "name_too_long",
                field: "name",
                name: name,
                version: name.map { _ in "2.1" },
                at: Timestamp(milliseconds: 3),
                sample: EventPosition(segment: 1, offset: 16, ordinal: 2),
                intervals: time.count
            )
            group.count = count
            answer.groups.append(group)
        }
        answer.count = 7
        answer.losses = [FailedGroups.Loss(reason: "expired", events: 5)]
        answer.reports = [
            FailedGroups.Report(
                code: "1001",
                events: 2,
                first: Timestamp(milliseconds: 1),
                last: Timestamp(milliseconds: 2),
                message: "no name",
                sample: EventID(high: 0x7000, low: 1 << 63)
            )
        ]
        return answer
    }

    /// The latest query for rejected events.
    var failedQuery: FailedQuery? { state.withLock { $0.failed } }

    func failed(matching query: FailedQuery) async throws(StoreError) -> [FailedEvent] {
        state.withLock { $0.failed = query }
        return [
            FailedEvent(
                position: EventPosition(segment: 1, offset: 16, ordinal: 2),
                received: Timestamp(milliseconds: 9),
                key: "shop",
                code: "malformed",
                field: "",
                message: "It is not JSON.",
                content: [0x22, 0xff]
            )
        ]
    }

    func failed(at position: EventPosition) async throws(StoreError) -> FailedEvent? {
        try await failed(before: nil, limit: 1).first { $0.position == position }
    }

    func minutes(since: Timestamp, names: Int) async throws(StoreError) -> [MinuteCount] {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return [MinuteCount(minute: Timestamp(milliseconds: 60_000), events: 3, names: ["a": 1, "b": 2])]
    }

    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession] {
        var session = StoredSession(
            place: TimeCursor(time: Timestamp(milliseconds: 1_000), number: 3),
            installation: query.installation,
            id: query.id ?? "s",
            number: 4,
            last: Timestamp(milliseconds: 5_000),
            events: 6,
            engagement: 2_000,
            foreground: 3_000
        )
        session.users = [query.user ?? "u"]
        session.screens = [
            StoredScreen(time: Timestamp(milliseconds: 1_500), name: "Home", id: "a", uniqueID: nil, engagement: 2_000)
        ]
        session.launches = [
            StoredLaunch(time: session.start, kind: "cold", isFirst: true, isRecovered: false, duration: nil),
            StoredLaunch(time: session.last, kind: "end", isFirst: false, isRecovered: true, duration: 3_000),
        ]
        return Array([session].prefix(query.limit))
    }

    func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow {
        ScreenFlow(
            screens: [
                ScreenFlow.Totals(name: "Home", views: 3, entrances: 2, exits: 1, engagement: 9, installations: 1)
            ],
            steps: [ScreenFlow.Step(from: "Home", to: "Basket", count: 2)],
            elements: [
                ScreenFlow.Element(screen: "Home", element: "buy", type: "UIButton", clicks: 5, installations: 1)
            ]
        )
    }

    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser] {
        var user = StoredUser(
            id: query.id,
            uniqueID: "U",
            anonymousID: nil,
            firstTouch: Timestamp(milliseconds: 1),
            first: Timestamp(milliseconds: 2),
            last: Timestamp(milliseconds: 3),
            events: 4,
            sessions: 5
        )
        user.attributes = [.init(name: "tier", value: Array(#""gold""#.utf8), set: Timestamp(milliseconds: 6))]
        return [user]
    }

    func devices(matching query: DeviceQuery) async throws(StoreError) -> [StoredDevice] {
        Array([Self.device(.init(high: 7 << 12, low: 1 << 63))].prefix(query.limit))
    }

    func device(_ installation: InstallationID, limit: Int) async throws(StoreError) -> DeviceHistory? {
        guard installation.low != 1 << 63 | 404 else { return nil }
        let state = JSONValue.Object([
            .init(key: "battery_level", value: .double(0.5)),
            .init(
                key: "location",
                value: .object(
                    .init([
                        .init(key: "latitude", value: .integer(48)), .init(key: "longitude", value: .double(11.5)),
                    ])
                )
            ),
            .init(key: "motion", value: .array([.integer(1), .integer(2)])),
        ])
        return DeviceHistory(
            device: Self.device(installation),
            properties: .init([.init(key: "cpu_count", value: .integer(Int64(limit)))]),
            steps: [
                .init(
                    time: Timestamp(milliseconds: 3),
                    changes: [PropertyChange(name: "cpu_count", before: nil, after: .integer(4))]
                )
            ],
            states: [StoredAppState(at: Timestamp(milliseconds: 4), state, screen: "Home")]
        )
    }

    private static func device(_ installation: InstallationID) -> StoredDevice {
        var device = StoredDevice(
            installation: installation,
            first: Timestamp(milliseconds: 5),
            last: Timestamp(milliseconds: 9),
            events: 11,
            states: 6,
            propertyChanges: 2
        )
        device.model = "iPhone15,2"
        device.batteryLevel = 0.5
        return device
    }

    func firstEvent() async throws(StoreError) -> Timestamp? {
        try matching(EventQuery()).map(\.time).min().map { time in
            Timestamp(milliseconds: QuarterOfHour.number(of: time.milliseconds) * QuarterOfHour.length)
        }
    }

    func trend(_ query: TrendQuery) async throws(StoreError) -> Trend {
        let failure = state.withLock { state in
            state.trendQuery = query
            return state.failure
        }
        if let failure { throw failure }
        let numbers = Trend.Numbers(
            values: query.time.edges.dropFirst().map { _ in .integer(2) },
            total: .integer(3)
        )
        return Trend(series: [Trend.Series(group: .value(.text(Array("CNY".utf8))), now: numbers)], events: 4)
    }

    func search(_ search: EventSearch) async throws(StoreError) -> EventSearchResult {
        try note(search)
        let events = try matching(search.query)
        return EventSearchResult(events: events, searched: 7, total: 9, next: EventPosition(segment: 2, offset: 16))
    }

    /// Records a query, or throws the failure that the test has set.
    func note(_ query: any Sendable) throws(StoreError) {
        let failure = state.withLock { state in
            state.queries.append(query)
            return state.failure
        }
        if let failure { throw failure }
    }

    func catalog(matching query: CatalogQuery) async throws(StoreError) -> EventCatalog {
        let failure = state.withLock { state in
            state.catalog = query
            return state.failure
        }
        if let failure { throw failure }
        let entry = CatalogEntry(
            name: "_own",
            events: 7,
            first: Timestamp(milliseconds: 1),
            last: Timestamp(milliseconds: 2),
            today: 3,
            month: 5
        )
        return EventCatalog(entries: Array([entry].prefix(query.limit)), names: 12, others: 9)
    }

    func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription? {
        guard name != "nothing" else { return nil }
        var description = EventDescription(name: name)
        description.read = 4
        description.since = Timestamp(milliseconds: 8)
        description.maximumAttributes = 501
        var total = AttributeDescription(name: "total", scope: .event)
        total.events = 3
        total.kinds = [.integer: 2, .string: 1]
        total.numbers = .init(least: .integer(1), greatest: .double(2.5))
        total.values = [ValueCount(value: .number(.integer(1)), events: 2)]
        total.distinct = 2
        total.longestBytes = 1_025
        total.longestUnits = 1_025
        description.attributes = [total]
        description.versions = [ValueCount(value: .text(Array("2.1".utf8)), events: 4)]
        return description
    }

    /// The latest catalog query.
    var catalogQuery: CatalogQuery? { state.withLock { $0.catalog } }

    func advance(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, hasMore: Bool) {
        var tally = tally
        for event in try matching(EventQuery()) where event.position >= tally.next {
            guard end == nil || event.position < end ?? .start else { break }
            guard tally.expectation.filter.names.contains(event.name) else {
                tally.countOther(event.name, at: event.position)
                continue
            }
            let attributes = (try? JSONValue.parse(event.json))?["attributes"]  // the test's JSON
            let values = tally.expectation.filter.fields.map { field -> QueryValue? in
                guard case .attribute(let name) = field else { return nil }
                return attributes?[name].flatMap { QueryValue($0) }
            }
            tally.add(
                .init(
                    position: event.position,
                    id: event.id,
                    user: event.user,
                    installation: event.installation,
                    values: values
                )
            )
        }
        return (tally, false)
    }

    func totals() async throws(StoreError) -> StoreTotals {
        let (count, failure) = state.withLock { ($0.events.count, $0.failure) }
        // The totals state that they are incomplete.
        if let failure, failure.kind != .behind { throw failure }
        return StoreTotals(events: UInt64(count), failureReason: incompleteReason)
    }

    var beginning: EventPosition { .start }

    var indexed: EventPosition { state.withLock { $0.indexed } }

    func progress() -> AsyncStream<EventPosition> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EventPosition.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let indexed = state.withLock { state in
            state.followers.append(continuation)
            return state.indexed
        }
        continuation.yield(indexed)
        return stream
    }
}
