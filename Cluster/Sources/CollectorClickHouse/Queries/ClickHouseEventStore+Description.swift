// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func description(of name: String, days: CatalogDays) async throws(StoreError) -> EventDescription? {
        try await description(of: name, days: days, limits: EventDescription.Limits())
    }

    /// The key of an event's context.
    private struct DescribedContext: Hashable {
        var installation: InstallationID
        var high: UInt64
        var low: UInt64
    }

    /// Returns a description of the latest events with a name.
    ///
    /// - Parameter limits: The limits on the amount of data read.
    func description(
        of name: String,
        days: CatalogDays,
        limits: EventDescription.Limits
    ) async throws(StoreError) -> EventDescription? {
        let sql = CatalogSQL(block: try await completed(), keptCondition: keptCondition)
        var meter = QueryMeter(budget, clock: clock)
        guard let position = try await latest(name, limits.events, sql, &meter) else { return nil }
        let entry = try await entry(of: name, on: days, sql, &meter)
        var tally = DescriptionTally(EventDescription(name: name, entry: entry), limits: limits)
        let began = clock.now().monotonic
        func hasTime() -> Bool { began.duration(to: clock.now().monotonic) <= limits.time }
        // The contexts of the events, in order of first occurrence.
        var order: [DescribedContext] = []
        var weights: [DescribedContext: Int] = [:]
        var bytes = 0
        var isOver = false
        let events = sql.events(of: name, from: position, limit: limits.events)
        try await rows(events, &meter) { row throws(RowFault) in
            (
                position: try row.int64(), received: try row.int64(), installation: try row.installationID(),
                context: try row.idHalves(), body: try row.string()
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
        let contents = try await contents(Set(order), sql.contexts(of: name, from: position), limits.bytes, &meter)
        bytes = 0
        for (count, key) in order.enumerated() {
            guard bytes < limits.bytes, count % 64 != 0 || hasTime() else { break }
            guard let content = contents[key] else { continue }
            bytes += content.count
            tally.add(context: content, events: weights[key] ?? 0)
        }
        return tally.description()
    }

    /// Returns the position where a name's latest events begin; nil if there are none.
    ///
    /// - Parameter events: The requested number of events.
    private func latest(
        _ name: String,
        _ events: Int,
        _ sql: CatalogSQL,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> Int64? {
        var (found, position): (UInt64, Int64?) = (0, nil)
        try await rows(sql.latest(name), &meter) { row throws(RowFault) in
            (block: try row.int64(), events: try row.uint64(), position: try row.int64())
        } _: { row throws(StoreError) in
            guard found < UInt64(clamping: events) else { return }
            found += row.events
            position = min(position ?? row.position, row.position)
        }
        return position
    }

    /// Returns the contents of the requested contexts, up to a limit in bytes.
    private func contents(
        _ requested: Set<DescribedContext>,
        _ statement: String,
        _ limit: Int,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> [DescribedContext: [UInt8]] {
        guard !requested.isEmpty else { return [:] }
        var contents: [DescribedContext: [UInt8]] = [:]
        var bytes = 0
        try await rows(statement, &meter) { row throws(RowFault) in
            (installation: try row.installationID(), context: try row.idHalves(), body: try row.string())
        } _: { row throws(StoreError) in
            let key = DescribedContext(installation: row.installation, high: row.context.high, low: row.context.low)
            // The last context may exceed the limit, as when contexts are read one by one.
            guard requested.contains(key), bytes < limit else { return }
            bytes += row.body.count
            contents[key] = row.body
        }
        return contents
    }
}
