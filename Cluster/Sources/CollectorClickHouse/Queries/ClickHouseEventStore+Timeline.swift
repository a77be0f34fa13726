// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    /// The number of events read at once if each event must be checked.
    private static let eventsPerBatch = 500

    package func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline? {
        let block = try await completed()
        let first = state.withLock { $0.retentionStart }?.block ?? 0
        let activity = try await deviceActivity(of: [query.person], block).map(\.activity)
        guard !activity.isEmpty else { return nil }
        let ranges = try await ranges(query, activity, block, since: first)
        var scanner = TimelineScanner(query)
        var answer = Timeline(entries: [], searched: 0, total: 0, next: nil)
        var parts = TimelineParts()
        let share = TimelineRange.share(of: budget, among: ranges.count)
        for (person, range) in ranges {
            answer.total += range.events
            var meter = SearchMeter(share, clock: clock)
            scanner.begin()
            while let count = scanner.nextCount(Self.eventsPerBatch) {
                let found = try await cursors(
                    of: person,
                    range.times,
                    after: scanner.after,
                    count,
                    first...max(first, block)
                )
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

    private func ranges(
        _ query: TimelineQuery,
        _ activity: [KnownPerson.DeviceActivity],
        _ block: UInt64,
        since first: UInt64
    ) async throws(StoreError) -> [(person: PersonKey, range: TimelineRange)] {
        let person = KnownPerson(key: query.person, activity: activity)
        // People and the times of their first events remain known permanently, but only kept events are counted.
        var events = person.events
        if first > 0 {
            let retained = try await self.deviceActivity(of: [query.person], block, since: first)
            events = KnownPerson(key: query.person, activity: retained.map(\.activity)).events
        }
        guard let own = TimelineRange(query, events: events) else { return [] }
        guard case .user(let user) = query.person else { return [(query.person, own)] }
        let visits = try await visitors(of: person.devices, block, since: first)
        let others = try await others(than: user, visits.map { ($0.installation, $0.first) }, block)
        return [(query.person, own)]
            + visits.compactMap { visit in
                own.visit(before: visit.first, others: others[visit.installation], events: visit.events)
                    .map { (.visitor(visit.installation), $0) }
            }
    }

    /// Returns the most recently used installations that also had visitor activity.
    private func visitors(
        of devices: [KnownPerson.DeviceActivity],
        _ block: UInt64,
        since first: UInt64
    ) async throws(StoreError) -> [(installation: InstallationID, first: Int64, events: UInt64)] {
        var visits: [(installation: InstallationID, first: Int64, events: UInt64)] = []
        var next = 0
        while next < devices.count, visits.count < TimelineRange.maxVisits {
            let part = devices[next..<min(devices.count, next + KeySQL.maxKeys)]
            next += part.count
            let keys = part.compactMap { $0.installation.map { PersonKey.visitor($0) } }
            var events: [PersonKey.Bytes: UInt64] = [:]
            for row in try await deviceActivity(of: keys, block, since: first) {
                events[row.person.bytes, default: 0] += row.activity.events
            }
            for device in part where visits.count < TimelineRange.maxVisits {
                guard let installation = device.installation else { continue }
                guard let count = events[PersonKey.visitor(installation).bytes] else { continue }
                visits.append((installation, device.first, count))
            }
        }
        return visits
    }

    /// Returns when other users were last active on installations.
    ///
    /// Only users whose activity on an installation began before the given time are included.
    private func others(
        than user: String,
        _ visits: [(installation: InstallationID, first: Int64)],
        _ block: UInt64
    ) async throws(StoreError) -> [InstallationID: Int64] {
        guard !visits.isEmpty else { return [:] }
        let list = visits.map { SQLText.literal($0.installation) }.joined(separator: ", ")
        let before = visits.map { "(installation = \(SQLText.literal($0.installation)) AND f < \($0.first))" }
        let found = try await self.list(
            "SELECT installation, max(l) FROM (SELECT installation, session, user, min(first) AS f, max(last) AS l FROM visits WHERE "
                + "\(KeySQL.visibleRows(upTo: block)) AND installation IN (\(list)) AND user != '' AND user != \(SQLText.literal(user)) "
                + "GROUP BY installation, session, user) WHERE \(before.joined(separator: " OR ")) GROUP BY installation"
        ) { row throws(RowFault) in (installation: try row.installation(), last: try row.int64()) }
        return found.reduce(into: [:]) { others, row in
            if let installation = row.installation { others[installation] = row.last }
        }
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
        return try await list(
            "SELECT time, position FROM timeline WHERE \(conditions.joined(separator: " AND ")) GROUP BY time, position "
                + "ORDER BY time DESC, position DESC LIMIT \(limit)"
        ) { row throws(RowFault) in
            TimelineCursor(
                time: Timestamp(milliseconds: try row.int64()),
                position: EventPosition(rawValue: try row.int64())
            )
        }
    }
}
