// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    /// The number of events read at once if each event must be checked.
    private static let eventsPerBatch = 500

    package func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline? {
        try PeopleSupport.check([QueryFilter(conditions: query.conditions)])
        let block = try await completed()
        let first = state.withLock { $0.retentionStart }?.block ?? 0
        guard let key = try await resolved(query.person, block) else { return nil }
        let activity = try await deviceActivity(of: [key], block).map(\.activity)
        guard !activity.isEmpty else { return nil }
        let ranges = try await ranges(query, KnownPerson(key: key, activity: activity), block, since: first)
        var scanner = TimelineScanner(query)
        var answer = Timeline(entries: [], searched: 0, total: 0, next: nil)
        var parts = TimelineParts()
        let share = TimelineRange.share(of: budget, among: ranges.count)
        let blocks = first...max(first, block)
        var shared: [InstallationID: [Int: [TimelineCursor]]] = [:]
        for (person, range, part) in ranges {
            answer.total += range.events
            var meter = SearchMeter(share, clock: clock)
            scanner.begin()
            var isFirst = true
            while let count = scanner.nextCount(Self.eventsPerBatch) {
                let found: [TimelineCursor]
                if isFirst, let part, !part.isWhole {
                    // One query reads the first events of all parts of a visitor.
                    if shared[part.installation] == nil {
                        shared[part.installation] = try await cursors(of: part, query, count, blocks)
                    }
                    found = shared[part.installation]?[part.period(of: part.times.upperBound)] ?? []
                } else {
                    found = try await cursors(of: person, range.times, after: scanner.after, count, blocks)
                }
                isFirst = false
                let events = query.isFiltered ? try await events(at: found.map(\.position), block) : [:]
                scanner.scan(found, events, &meter, isLast: found.count < count)
            }
            parts.add(scanner.found, isVisit: range.isVisit, end: scanner.end)
        }
        let (found, next) = parts.first(query.limit)
        answer.searched = scanner.searched
        answer.next = next
        var bytes = 0
        var read = 0
        while read < found.count, bytes < ResponseBudget.bytes {
            let part = found[read..<min(found.count, read + KeySQL.maxKeys)]
            read += part.count
            let events = try await events(at: part.map(\.place.position), block)
            for (cursor, isVisit) in part {
                guard let event = events[cursor.position] else { continue }
                answer.entries.append(Timeline.Entry(event, isVisit: isVisit))
                bytes += event.responseBytes
                guard bytes < ResponseBudget.bytes else {
                    if cursor != found.last?.place { answer.next = cursor }
                    break
                }
            }
        }
        return answer
    }

    // MARK: Owners and time ranges

    /// The maximum number of parts in one timeline.
    ///
    /// For a user with more parts, those of the most recently used installations are read.
    private static let maximumParts = 1_000

    private func ranges(
        _ query: TimelineQuery,
        _ person: KnownPerson,
        _ block: UInt64,
        since first: UInt64
    ) async throws(StoreError) -> [(person: PersonKey, range: TimelineRange, part: VisitorPart?)] {
        guard let whole = TimelineRange(query, events: 0) else { return [] }
        var ranges: [(person: PersonKey, range: TimelineRange, part: VisitorPart?)] = []
        let parts = try await visitorParts(of: [person], block)[person.key.bytes] ?? []
        var isVisit = false
        if case .user = person.key { isVisit = true }
        // A visitor without parts has no history, or all its events are its own.
        if isVisit || parts.isEmpty {
            // People and the times of their first events remain known permanently, but only kept events are counted.
            var events = person.events
            if first > 0 {
                let retained = try await deviceActivity(of: [person.key], block, since: first)
                events = KnownPerson(key: person.key, activity: retained.map(\.activity)).events
            }
            for key in merged.keys(of: [person.key]).prefix(Self.maximumParts) {
                // The number of events includes those of merged users.
                guard let own = whole.part(.min ... .max, isVisit: false, events: ranges.isEmpty ? events : 0) else {
                    continue
                }
                ranges.append((key, own, nil))
            }
        }
        let read = Array(parts.prefix(Self.maximumParts - ranges.count))
        for (part, events) in zip(read, try await events(of: read, block, since: first)) {
            guard let range = whole.part(part.times, isVisit: isVisit, events: events) else { continue }
            ranges.append((.visitor(part.installation), range, part))
        }
        return ranges
    }

    // MARK: Traversal

    /// Returns the cursors of a person's next events in a time range, latest first.
    private func cursors(
        of person: PersonKey,
        _ times: ClosedRange<Int64>,
        after: TimelineCursor?,
        _ limit: Int,
        _ blocks: ClosedRange<UInt64>
    ) async throws(StoreError) -> [TimelineCursor] {
        try await list(
            "\(Self.rows(of: person, times, after: after, blocks)) ORDER BY time DESC, position DESC LIMIT \(limit)"
        ) { row throws(RowFault) in
            TimelineCursor(time: try row.time(), position: try row.position())
        }
    }

    /// Returns the cursors of the first events in each period of an installation, latest first.
    ///
    /// - Parameter part: Any part of the installation's visitor.
    private func cursors(
        of part: VisitorPart,
        _ query: TimelineQuery,
        _ limit: Int,
        _ blocks: ClosedRange<UInt64>
    ) async throws(StoreError) -> [Int: [TimelineCursor]] {
        guard let times = TimelineRange(query, events: 0)?.times else { return [:] }
        let rows = Self.rows(of: .visitor(part.installation), times, after: query.after, blocks)
        var cursors: [Int: [TimelineCursor]] = [:]
        for row in try await list(
            "SELECT \(part.period) AS w, time, position FROM (\(rows)) ORDER BY time DESC, position DESC LIMIT \(limit) BY w",
            { row throws(RowFault) in
                (
                    period: Int(clamping: try row.uint64()),
                    cursor: TimelineCursor(time: try row.time(), position: try row.position())
                )
            }
        ) {
            cursors[row.period, default: []].append(row.cursor)
        }
        return cursors
    }

    /// Returns a statement for the times and positions of a person's events.
    private static func rows(
        of person: PersonKey,
        _ times: ClosedRange<Int64>,
        after: TimelineCursor?,
        _ blocks: ClosedRange<UInt64>
    ) -> String {
        var conditions = [KeySQL.visibleRows(upTo: blocks.upperBound), "block >= \(blocks.lowerBound)"]
        switch person {
        case .user(let id): conditions.append("user = \(SQLText.literal(id)) AND visitor = \(SQLText.missingID)")
        case .visitor(let id): conditions.append("user = '' AND visitor = \(SQLText.literal(id))")
        }
        conditions.append("time >= \(times.lowerBound) AND time <= \(times.upperBound)")
        if let after {
            let (time, position) = (after.time.milliseconds, after.position.rawValue)
            conditions.append("time <= \(time) AND (time < \(time) OR position < \(position))")
        }
        return
            "SELECT time, position FROM timeline WHERE \(conditions.joined(separator: " AND ")) GROUP BY time, position"
    }
}
