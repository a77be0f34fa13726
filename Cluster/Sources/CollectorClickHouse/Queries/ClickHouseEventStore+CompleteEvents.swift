// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Reads complete events and contexts by their keys.
extension ClickHouseEventStore {
    /// The key of an installation's context.
    struct ContextKey: Hashable {
        let installation: InstallationID?
        let high: UInt64
        let low: UInt64
    }

    private struct Row {
        var event: StoredEvent
        let context: ContextKey?
    }

    /// Returns the events at these positions, in order of arrival.
    ///
    /// Missing and erased events are omitted.
    func completeEvents(_ positions: [Int64], _ block: UInt64) async throws(StoreError) -> [StoredEvent] {
        guard let first = positions.min(), let last = positions.max() else { return [] }
        let list = positions.map(String.init).joined(separator: ", ")
        var rows = try await self.list(
            "SELECT position, id, name, time, received, installation, writer, sequence, user, session, context, body "
                + "FROM events FINAL WHERE block <= \(block) AND position >= \(first) AND position <= \(last) "
                + "AND position IN (\(list)) AND installation NOT IN (SELECT installation FROM erasures)\(keptCondition) ORDER BY position",
            Self.row
        )
        let contexts = try await contexts(of: rows.compactMap(\.context), block)
        let replays = try await self.list(
            "SELECT position, origin, time, key FROM replays FINAL WHERE block <= \(block) AND position IN (\(list)) "
                + "AND installation NOT IN (SELECT installation FROM erasures)"
        ) { row throws(RowFault) in
            (
                position: try row.position(),
                replayed: StoredEvent.Replayed(from: try row.position(), at: try row.time(), key: try row.text())
            )
        }
        let replayed = Dictionary(
            replays.map { ($0.position, $0.replayed) },
            uniquingKeysWith: { first, _ in first }
        )
        for index in rows.indices {
            rows[index].event.context = rows[index].context.flatMap { contexts[$0] } ?? []
            rows[index].event.replayed = replayed[rows[index].event.position]
        }
        return rows.map(\.event)
    }

    /// Returns the events at the given positions, by position.
    ///
    /// Missing and erased events are omitted.
    ///
    /// - Complexity: O(positions × rows per index entry).
    func events(at positions: [EventPosition], _ block: UInt64) async throws(StoreError) -> [EventPosition: StoredEvent]
    {
        var found: [EventPosition: StoredEvent] = [:]
        var next = 0
        while next < positions.count {
            let part = positions[next..<min(positions.count, next + KeySQL.maxKeys)]
            next += part.count
            for event in try await completeEvents(part.map(\.rawValue), block) { found[event.position] = event }
        }
        return found
    }

    private static func row(_ row: inout RowCursor) throws(RowFault) -> Row {
        var event = StoredEvent(
            position: try row.position(),
            id: try row.id(),
            name: try row.text(),
            time: try row.time(),
            received: try row.time(),
            json: []
        )
        event.installation = try row.optionalID()
        event.writer = try row.optionalID()
        let sequence = try row.uint64()
        event.sequence = sequence == 0 ? nil : sequence
        event.user = try row.nonEmptyText()
        event.session = try row.nonEmptyText()
        let context = try contextKey(event.installation, &row)
        event.json = try row.string()
        return Row(event: event, context: context)
    }

    /// Reads a context's key; nil if there is no context.
    static func contextKey(
        _ installation: InstallationID?,
        _ row: inout RowCursor
    ) throws(RowFault) -> ContextKey? {
        let (high, low) = try row.idHalves()
        return high == 0 && low == 0 ? nil : ContextKey(installation: installation, high: high, low: low)
    }

    /// Returns contexts as received.
    private func contexts(of keys: [ContextKey], _ block: UInt64) async throws(StoreError) -> [ContextKey: [UInt8]] {
        let rows = try await contextValues("any(body)", keys, block) { row throws(RowFault) in try row.string() }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the values of contexts by path, as encoded in columns.
    func values(
        of keys: [ContextKey],
        _ block: UInt64
    ) async throws(StoreError) -> [ContextKey: [[UInt8]: [UInt8]]] {
        let rows = try await contextValues("any(names), any(values)", keys, block) { row throws(RowFault) in
            let names = try row.array { cell throws(RowFault) in try cell.string() }
            let values = try row.array { cell throws(RowFault) in try cell.string() }
            return Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    private func contextValues<Value>(
        _ columns: String,
        _ keys: [ContextKey],
        _ block: UInt64,
        _ decode: (inout RowCursor) throws(RowFault) -> Value
    ) async throws(StoreError) -> [(ContextKey, Value)] {
        let distinct = Set(keys)
        guard !distinct.isEmpty else { return [] }
        var externalRows = RowBinary()
        for key in distinct {
            externalRows.id(key.installation)
            externalRows.idHalves(key.high, key.low)
        }
        return try await list(
            "SELECT installation, context, \(columns) FROM contexts WHERE block <= \(block) "
                + "AND (installation, context) IN given GROUP BY installation, context",
            externalRows: externalRows.bytes,
            of: "installation FixedString(16), context FixedString(16)"
        ) { row throws(RowFault) in
            let installation = try row.optionalID(InstallationID.self)
            let (high, low) = try row.idHalves()
            return (ContextKey(installation: installation, high: high, low: low), try decode(&row))
        }
    }
}
