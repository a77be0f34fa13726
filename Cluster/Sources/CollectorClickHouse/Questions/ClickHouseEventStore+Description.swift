// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    package func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription? {
        try await description(of: name, days: days, limits: EventDescription.Limits())
    }

    /// The context of an event.
    private struct DescribedContext: Hashable {
        var installation: InstallationID
        var high: UInt64
        var low: UInt64
    }

    /// Returns a description of the latest events of a name.
    ///
    /// - Parameter limits: The limits on how much is read.
    func description(
        of name: String,
        days: CatalogDays,
        limits: EventDescription.Limits
    ) async throws(StoreError) -> EventDescription? {
        let sql = CatalogueSQL(block: try await completed(), isKept: isKept)
        var meter = QueryMeter(budget, clock: clock)
        guard let place = try await latest(name, limits.events, sql, &meter) else { return nil }
        let entry = try await entry(of: name, on: days, sql, &meter)
        var tally = DescriptionTally(EventDescription(name: name, entry: entry), limits: limits)
        let began = clock.now().monotonic
        func hasTime() -> Bool { began.duration(to: clock.now().monotonic) <= limits.time }
        // In order of first occurrence.
        var order: [DescribedContext] = []
        var weights: [DescribedContext: Int] = [:]
        var bytes = 0
        var isOver = false
        let events = sql.events(of: name, from: place, limit: limits.events)
        try await rows(events, &meter) { row throws(RowFault) in
            (
                position: try row.int64(), received: try row.int64(), installation: try row.installationID(),
                context: try row.halves(), body: try row.string()
            )
        } _: { row throws(StoreError) in
            isOver = isOver || bytes >= limits.bytes || (tally.read % 64 == 0 && !hasTime())
            guard !isOver else { return }
            if row.context != (0, 0) {
                let key = DescribedContext(installation: row.installation, high: row.context.high, low: row.context.low)
                if weights[key] == nil { order.append(key) }
                weights[key, default: 0] += 1
            }
            bytes += row.body.count
            row.body.withUnsafeBytes { tally.add($0, received: Timestamp(milliseconds: row.received)) }
        }
        guard tally.read > 0 else { return nil }
        let contents = try await contents(Set(order), sql.contexts(of: name, from: place), limits.bytes, &meter)
        bytes = 0
        for (count, key) in order.enumerated() {
            guard bytes < limits.bytes, count % 64 != 0 || hasTime() else { break }
            guard let content = contents[key] else { continue }
            bytes += content.count
            tally.add(context: content, events: weights[key] ?? 0)
        }
        return tally.description()
    }

    /// Returns the position where a name's latest events begin; nil without events.
    ///
    /// - Parameter events: The number of events wanted.
    private func latest(
        _ name: String,
        _ events: Int,
        _ sql: CatalogueSQL,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> Int64? {
        var (found, place): (UInt64, Int64?) = (0, nil)
        try await rows(sql.latest(name), &meter) { row throws(RowFault) in
            (block: try row.int64(), events: try row.uint64(), place: try row.int64())
        } _: { row throws(StoreError) in
            guard found < UInt64(clamping: events) else { return }
            found += row.events
            place = min(place ?? row.place, row.place)
        }
        return place
    }

    /// Returns the contents of the wanted contexts, up to a limit in bytes.
    private func contents(
        _ wanted: Set<DescribedContext>,
        _ statement: String,
        _ limit: Int,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> [DescribedContext: [UInt8]] {
        guard !wanted.isEmpty else { return [:] }
        var contents: [DescribedContext: [UInt8]] = [:]
        var bytes = 0
        try await rows(statement, &meter) { row throws(RowFault) in
            (installation: try row.installationID(), context: try row.halves(), body: try row.string())
        } _: { row throws(StoreError) in
            let key = DescribedContext(installation: row.installation, high: row.context.high, low: row.context.low)
            // One more than fits within the limit, as when contexts are read one by one.
            guard wanted.contains(key), bytes < limit else { return }
            bytes += row.body.count
            contents[key] = row.body
        }
        return contents
    }
}
