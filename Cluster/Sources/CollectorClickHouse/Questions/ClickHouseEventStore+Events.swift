// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Single events, in order of arrival.
extension ClickHouseEventStore {
    /// The number of complete events that are read at once.
    ///
    /// With their contexts, they take a few megabytes.
    private static let eventsAtOnce = 250
    /// The minimum number of events that the first step covers.
    ///
    /// Each further step covers four times as many.
    private static let firstStep: UInt64 = 2_000
    private static let growth: UInt64 = 4

    package func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent] {
        let block = try await completed()
        guard query.limit > 0, let places = EventPositionRanges(query, upTo: block, kept: keptFrom) else { return [] }
        var answer = EventPage(limit: query.limit)
        try await walk(places, wanted: query.limit) { stretches throws(StoreError) in
            let found = try await self.list(
                "SELECT position \(places.events(in: stretches)) \(places.order) LIMIT \(query.limit - answer.events.count)"
            ) { row throws(RowFault) in try row.int64() }
            try await self.read(found, block, into: &answer)
            return !answer.isFull
        }
        return answer.events
    }

    package func event(_ id: EventID) async throws(StoreError) -> StoredEvent? {
        let block = try await completed()
        let places = try await list(
            "SELECT DISTINCT position FROM ids WHERE id = \(SQLText.literal(id)) AND block <= \(block)"
        ) { row throws(RowFault) in try row.int64() }
        return try await whole(places.sorted(), block).first { $0.id == id }
    }

    package func count(matching query: EventQuery) async throws(StoreError) -> Int {
        var query = query
        (query.after, query.order, query.limit) = (nil, .oldestFirst, 1)
        if query == EventQuery(order: .oldestFirst, limit: 1) {
            return Int(clamping: try await totals().events)
        }
        let block = try await completed()
        guard let places = EventPositionRanges(query, upTo: block, kept: keptFrom) else { return 0 }
        var count = 0
        func add(_ stretches: [EventPositionRanges.Stretch]) async throws(StoreError) {
            let found = try await list("SELECT count() \(places.events(in: stretches))") { row throws(RowFault) in
                try row.uint64()
            }
            count += Int(clamping: found.first ?? 0)
        }
        if places.isKeyed {
            try await walk(places, wanted: 100_000) { stretches throws(StoreError) in
                try await add(stretches)
                return true
            }
        } else {
            let span = try await list(places.span, Self.stretch).first
            if let span, span.events > 0 { try await add([span]) }
        }
        return count
    }

    // MARK: Searching

    package func found(_ search: EventSearch) async throws(StoreError) -> EventSearchResult {
        let block = try await completed()
        var answer = EventSearchResult(events: [], searched: 0, of: try await totals().events, next: nil)
        guard let places = EventPositionRanges(search.query, upTo: block, kept: keptFrom) else { return answer }
        let match = EventMatchSQL(search)
        var page = EventPage(limit: search.query.limit)
        var meter = SearchMeter(budget, clock: clock)
        try await walk(places, wanted: max(search.query.limit, 1)) { stretches throws(StoreError) in
            var rows = try await self.list(match.sql(places, stretches, limit: max(1, meter.rest))) {
                row throws(RowFault) in (position: try row.int64(), holds: try row.uint8() != 0)
            }[...]
            while !rows.isEmpty {
                // As many as fit on the page are read at once; only then is their size known.
                let held = rows.lazy.filter(\.holds).prefix(min(Self.eventsAtOnce, max(1, page.room))).map(\.position)
                let read = try await self.whole(held.sorted(), block)
                let events = Dictionary(
                    read.map { ($0.position.rawValue, $0) },
                    uniquingKeysWith: { first, _ in first }
                )
                var rest = held.count
                while let row = rows.first, rest > 0 || !row.holds {
                    rows.removeFirst()
                    answer.searched += 1
                    if row.holds {
                        rest -= 1
                        if let event = events[row.position] { page.add(event) }
                    }
                    if meter.isOver() || page.isFull {
                        answer.next = EventPosition(rawValue: row.position)
                        return false
                    }
                }
            }
            return true
        }
        answer.events = page.events
        return answer
    }

    // MARK: Expectations

    package func look(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, isMore: Bool) {
        let atOnce = 1_000
        let block = try await completed()
        var query = EventQuery(order: .oldestFirst, limit: atOnce)
        if tally.next > .start { query.after = EventPosition(rawValue: tally.next.rawValue - 1) }
        guard let places = EventPositionRanges(query, upTo: block, kept: keptFrom) else { return (tally, false) }
        let reader = ExpectationSQL(tally.expectation.filter)
        var (seen, rows) = (tally, 0)
        try await walk(places, wanted: atOnce) { stretches throws(StoreError) in
            let until = end.map { "AND position < \($0.rawValue) " } ?? ""
            let found = try await self.list(
                reader.sql(places.events(in: stretches) + " " + until + places.order, limit: atOnce - rows),
                reader.row
            )
            let contexts =
                reader.needsContexts
                ? try await self.values(of: found.filter(\.isMeant).compactMap(\.context), block) : [:]
            for row in found {
                rows += 1
                guard row.isMeant else {
                    seen.passed(row.name, at: row.position)
                    continue
                }
                seen.met(reader.event(row, row.context.flatMap { contexts[$0] }))
            }
            if let end, let last = stretches.last, last.last >= end.rawValue { return false }
            return rows < atOnce
        }
        return (seen, rows >= atOnce)
    }

    // MARK: Traversal

    private static func stretch(_ row: inout RowCursor) throws(RowFault) -> EventPositionRanges.Stretch {
        EventPositionRanges.Stretch(first: try row.int64(), last: try row.int64(), events: try row.uint64())
    }

    /// Visits a query's position ranges in its order, more of them with each step.
    ///
    /// - Parameters:
    ///   - wanted: The number of events that suffices if all events in the ranges match.
    ///   - body: Returns whether to continue.
    private func walk(
        _ places: EventPositionRanges,
        wanted: Int,
        _ body: ([EventPositionRanges.Stretch]) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        let meter = QueryMeter(budget, clock: clock)
        var cursor = places.query.after?.rawValue
        var page = 64
        var step = max(Self.firstStep, UInt64(clamping: wanted) &* Self.growth)
        while true {
            let found = try await list(places.stretches(behind: cursor, limit: page), Self.stretch)
            var rest = found[...]
            while !rest.isEmpty {
                try meter.checkTime()
                var (events, count): (UInt64, Int) = (0, 0)
                for stretch in rest where count < (places.isKeyed ? EventPositionRanges.stretchesAtOnce : .max) {
                    guard events < step else { break }
                    events += stretch.events
                    count += 1
                }
                guard try await body(Array(rest.prefix(count))) else { return }
                rest = rest.dropFirst(count)
                step = min(step * Self.growth, 100_000_000)
            }
            guard found.count >= page, let last = found.last else { return }
            cursor = places.isBackwards ? last.first : last.last
            page = min(page * 4, 1_000_000)
        }
    }

    /// Reads complete events until they fill a page.
    private func read(_ positions: [Int64], _ block: UInt64, into page: inout EventPage) async throws(StoreError) {
        var rest = positions[...]
        while !rest.isEmpty, !page.isFull {
            let next = Array(rest.prefix(Self.eventsAtOnce))
            rest = rest.dropFirst(next.count)
            let events = try await whole(next, block)
            for event in next.first ?? 0 > next.last ?? 0 ? events.reversed() : events where !page.isFull {
                page.add(event)
            }
        }
    }
}

/// The events of one response, limited in number and size.
private struct EventPage {
    let limit: Int
    private(set) var events: [StoredEvent] = []
    private var bytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isFull: Bool { events.count >= limit || bytes >= ResponseBudget.bytes }

    /// The number of events that may still be added.
    var room: Int { limit - events.count }

    mutating func add(_ event: StoredEvent) {
        events.append(event)
        bytes += event.answerBytes
    }
}
