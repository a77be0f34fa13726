// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// Reads single events, in order of arrival.
extension ClickHouseEventStore {
    /// The number of complete events that are read at once.
    ///
    /// With their contexts, they take a few megabytes.
    private static let eventsPerBatch = 250
    /// The minimum number of events that the first step covers.
    ///
    /// Each further step covers four times as many.
    private static let firstStep: UInt64 = 2_000
    private static let growthFactor: UInt64 = 4

    package func events(matching query: EventQuery) async throws(StoreError) -> [StoredEvent] {
        let block = try await completed()
        guard query.limit > 0, let rangeSQL = PositionRangeSQL(query, upTo: block, retainedSince: retainedSince) else {
            return []
        }
        var answer = EventPage(limit: query.limit)
        try await visitRanges(rangeSQL, targetCount: query.limit) { ranges throws(StoreError) in
            let found = try await self.list(
                "SELECT position \(rangeSQL.events(in: ranges)) \(rangeSQL.order) LIMIT \(query.limit - answer.events.count)"
            ) { row throws(RowFault) in try row.int64() }
            try await self.read(found, block, into: &answer)
            return !answer.isFull
        }
        return answer.events
    }

    package func firstEvent() async throws(StoreError) -> Timestamp? {
        let block = try await completed()
        guard let ranges = PositionRangeSQL(EventQuery(), upTo: block, retainedSince: retainedSince) else { return nil }
        let found = try await list(ranges.earliest) { row throws(RowFault) in (try row.int64(), try row.uint64()) }
        guard let (earliest, count) = found.first, count > 0 else { return nil }
        return Timestamp(milliseconds: QuarterOfHour.start(of: QuarterOfHour.number(of: earliest)))
    }

    package func event(_ id: EventID) async throws(StoreError) -> StoredEvent? {
        let block = try await completed()
        let positions = try await list(
            "SELECT DISTINCT position FROM ids WHERE id = \(SQLText.literal(id)) AND block <= \(block)"
        ) { row throws(RowFault) in try row.int64() }
        return try await completeEvents(positions.sorted(), block).first { $0.id == id }
    }

    package func count(matching query: EventQuery) async throws(StoreError) -> Int {
        var query = query
        (query.after, query.order, query.limit) = (nil, .oldestFirst, 1)
        if query == EventQuery(order: .oldestFirst, limit: 1) {
            return Int(clamping: try await totals().events)
        }
        let block = try await completed()
        guard let rangeSQL = PositionRangeSQL(query, upTo: block, retainedSince: retainedSince) else { return 0 }
        var count = 0
        func add(_ ranges: [PositionRangeSQL.PositionRange]) async throws(StoreError) {
            let found = try await list("SELECT count() \(rangeSQL.events(in: ranges))") { row throws(RowFault) in
                try row.uint64()
            }
            count += Int(clamping: found.first ?? 0)
        }
        if rangeSQL.isKeyed {
            try await visitRanges(rangeSQL, targetCount: 100_000) { ranges throws(StoreError) in
                try await add(ranges)
                return true
            }
        } else {
            let span = try await list(rangeSQL.span, Self.positionRange).first
            if let span, span.events > 0 { try await add([span]) }
        }
        return count
    }

    // MARK: Searching

    package func search(_ search: EventSearch) async throws(StoreError) -> EventSearchResult {
        try PeopleSupport.check([QueryFilter(conditions: search.conditions)])
        let block = try await completed()
        var answer = EventSearchResult(events: [], searched: 0, total: try await totals().events, next: nil)
        guard let rangeSQL = PositionRangeSQL(search.query, upTo: block, retainedSince: retainedSince) else {
            return answer
        }
        let match = EventMatchSQL(search)
        var page = EventPage(limit: search.query.limit)
        var meter = SearchMeter(budget, clock: clock)
        try await visitRanges(rangeSQL, targetCount: max(search.query.limit, 1)) { ranges throws(StoreError) in
            var rows = try await self.list(match.sql(rangeSQL, ranges, limit: max(1, meter.rest))) {
                row throws(RowFault) in (position: try row.int64(), matches: try row.uint8() != 0)
            }[...]
            while !rows.isEmpty {
                // Read no more events at once than the page can hold. Their size is known only afterward.
                let matching = rows.lazy.filter(\.matches).prefix(
                    min(Self.eventsPerBatch, max(1, page.remainingCapacity))
                ).map(\.position)
                let read = try await self.completeEvents(matching.sorted(), block)
                let events = Dictionary(
                    read.map { ($0.position.rawValue, $0) },
                    uniquingKeysWith: { first, _ in first }
                )
                var rest = matching.count
                while let row = rows.first, rest > 0 || !row.matches {
                    rows.removeFirst()
                    answer.searched += 1
                    if row.matches {
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

    package func advance(
        _ tally: ExpectationTally,
        before end: EventPosition?
    ) async throws(StoreError) -> (tally: ExpectationTally, hasMore: Bool) {
        let batchSize = 1_000
        let block = try await completed()
        var query = EventQuery(order: .oldestFirst, limit: batchSize)
        if tally.next > .start { query.after = EventPosition(rawValue: tally.next.rawValue - 1) }
        guard let rangeSQL = PositionRangeSQL(query, upTo: block, retainedSince: retainedSince) else {
            return (tally, false)
        }
        let reader = ExpectationSQL(tally.expectation.filter)
        var (seen, rows) = (tally, 0)
        try await visitRanges(rangeSQL, targetCount: batchSize) { ranges throws(StoreError) in
            let until = end.map { "AND position < \($0.rawValue) " } ?? ""
            let found = try await self.list(
                reader.sql(rangeSQL.events(in: ranges) + " " + until + rangeSQL.order, limit: batchSize - rows),
                reader.row
            )
            let contexts =
                reader.needsContexts
                ? try await self.values(of: found.filter(\.matchesName).compactMap(\.context), block) : [:]
            for row in found {
                rows += 1
                guard row.matchesName else {
                    seen.countOther(row.name, at: row.position)
                    continue
                }
                seen.add(reader.event(row, row.context.flatMap { contexts[$0] }))
            }
            if let end, let last = ranges.last, last.last >= end.rawValue { return false }
            return rows < batchSize
        }
        return (seen, rows >= batchSize)
    }

    // MARK: Traversal

    private static func positionRange(_ row: inout RowCursor) throws(RowFault) -> PositionRangeSQL.PositionRange {
        PositionRangeSQL.PositionRange(first: try row.int64(), last: try row.int64(), events: try row.uint64())
    }

    /// Visits position ranges in the query's order, with more ranges in each step.
    ///
    /// - Parameters:
    ///   - targetCount: The number of events that suffices if all events in the ranges match.
    ///   - body: Returns whether to continue.
    private func visitRanges(
        _ rangeSQL: PositionRangeSQL,
        targetCount: Int,
        _ body: ([PositionRangeSQL.PositionRange]) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        let meter = QueryMeter(budget, clock: clock)
        var cursor = rangeSQL.query.after?.rawValue
        var page = 64
        var step = max(Self.firstStep, UInt64(clamping: targetCount) &* Self.growthFactor)
        while true {
            let found = try await list(rangeSQL.ranges(after: cursor, limit: page), Self.positionRange)
            var rest = found[...]
            while !rest.isEmpty {
                try meter.checkTime()
                var (events, count): (UInt64, Int) = (0, 0)
                for range in rest where count < (rangeSQL.isKeyed ? PositionRangeSQL.maxRangesPerStatement : .max) {
                    guard events < step else { break }
                    events += range.events
                    count += 1
                }
                guard try await body(Array(rest.prefix(count))) else { return }
                rest = rest.dropFirst(count)
                step = min(step * Self.growthFactor, 100_000_000)
            }
            guard found.count >= page, let last = found.last else { return }
            cursor = rangeSQL.isDescending ? last.first : last.last
            page = min(page * 4, 1_000_000)
        }
    }

    /// Reads complete events until they fill a page.
    private func read(_ positions: [Int64], _ block: UInt64, into page: inout EventPage) async throws(StoreError) {
        var rest = positions[...]
        while !rest.isEmpty, !page.isFull {
            let next = Array(rest.prefix(Self.eventsPerBatch))
            rest = rest.dropFirst(next.count)
            let events = try await completeEvents(next, block)
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
    var remainingCapacity: Int { limit - events.count }

    mutating func add(_ event: StoredEvent) {
        events.append(event)
        bytes += event.responseBytes
    }
}
