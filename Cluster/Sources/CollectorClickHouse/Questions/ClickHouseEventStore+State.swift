// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The status of the tables.
///
/// Everything except the totals is read from memory, as of the last ``ClickHouseEventStore/look()``.
extension ClickHouseEventStore: EventStore {
    package var trouble: String? {
        let address = "\(client.address)"
        return state.withLock { $0.trouble ?? $0.lag.sentence(address) }
    }

    /// Always the start.
    ///
    /// Only events of erased installations and expired events (``keptFrom``) are ever removed here; a reset is for
    /// collectors without an engine.
    package var beginning: EventPosition { .start }

    package var indexed: EventPosition { signal.position }

    package func progress() -> AsyncStream<EventPosition> { signal.listen() }

    package func isErased(_ installation: InstallationID) -> Bool {
        state.withLock { $0.erased.contains(installation) || $0.ordered[installation] != nil }
    }

    /// Returns the totals of the tables.
    ///
    /// They are counted once for each block, on request.
    ///
    /// - Complexity: O(blocks + installations · blocks they have events in + rejected events), in ClickHouse.
    package func totals() async throws(StoreError) -> StoreTotals {
        let block = try await completed()
        var totals: StoreTotals
        if let known = state.withLock({ $0.totals }), known.block == block, known.totals.keptFrom == keptFrom {
            totals = known.totals
        } else {
            totals = try await count(upTo: block, kept: keptFrom)
            state.withLock { $0.totals = (block, totals) }
        }
        totals.trouble = trouble
        totals.keptFrom = keptFrom
        return totals
    }

    private func count(upTo block: UInt64, kept: Timestamp?) async throws(StoreError) -> StoreTotals {
        let isErased = "installation IN (SELECT installation FROM erasures)"
        let counts = "FROM counts FINAL WHERE block <= \(block)"
        let all = try await list("SELECT sum(rows), sum(repeats) FROM blocks FINAL WHERE block <= \(block)") {
            row throws(RowFault) in (events: try row.uint64(), repeats: try row.uint64())
        }
        let gone = try await list(
            "SELECT sum(events), sum(repeats), sum(refused), uniqExact(installation) \(counts) AND \(isErased)"
        ) { row throws(RowFault) in
            (events: try row.uint64(), repeats: try row.uint64(), refused: try row.uint64(), count: try row.uint64())
        }
        let installations = try await list(
            "SELECT uniqExact(installation) \(counts) AND installation != \(SQLText.nobody) AND NOT \(isErased)"
        ) { row throws(RowFault) in try row.uint64() }
        let damaged = try await list("SELECT sum(damaged) \(counts) AND installation = \(SQLText.nobody)") {
            row throws(RowFault) in try row.uint64()
        }
        let failed = try await list("SELECT count() FROM (\(RejectionSelection(block: block).sql([])))") {
            row throws(RowFault) in try row.uint64()
        }
        guard let all = all.first, let gone = gone.first else { throw unreadable() }
        let stored = try await stored(upTo: block, kept: kept)
        return StoreTotals(
            events: stored ?? all.events - min(all.events, gone.events),
            installations: installations.first ?? 0,
            failed: failed.first ?? 0,
            duplicates: all.repeats - min(all.repeats, gone.repeats),
            damaged: damaged.first ?? 0,
            erasedInstallations: UInt64(state.withLock { $0.erased.count }),
            erasedEvents: gone.events + gone.repeats + gone.refused,
            keptFrom: kept
        )
    }

    /// Returns the number of events if others expired by age; nil if none did.
    private func stored(upTo block: UInt64, kept: Timestamp?) async throws(StoreError) -> UInt64? {
        guard let kept else { return nil }
        let blocks =
            "FROM places FINAL WHERE kind = \(PlaceAggregates.PlaceKind.all.rawValue) AND whose = '' AND block <= \(block) "
            + "AND arrived >= \(kept.milliseconds)"
        let counts = try await list(
            "SELECT sum(e), sum(g) FROM (SELECT events AS e, toUInt64(0) AS g \(blocks) UNION ALL SELECT toUInt64(0) AS e, events AS g "
                + "FROM counts FINAL WHERE block IN (SELECT block \(blocks)) AND installation IN (SELECT installation FROM erasures))"
        ) { row throws(RowFault) in (events: try row.uint64(), gone: try row.uint64()) }
        guard let count = counts.first else { throw unreadable() }
        return count.events - min(count.events, count.gone)
    }

    // MARK: Rows

    /// Returns the rows of a short response.
    ///
    /// - Throws: ``StoreError``, also if the query exceeds its budget.
    func list<Row>(
        _ query: String,
        _ decode: (inout RowCursor) throws(RowFault) -> Row
    ) async throws(StoreError) -> [Row] {
        var meter = QueryMeter(budget, clock: clock)
        var list: [Row] = []
        try await rows(query, &meter, decode) { row throws(StoreError) in list.append(row) }
        return list
    }

    /// Returns the rows of a short response to a query with the input table `given`.
    func list<Row>(
        _ query: String,
        given rows: [UInt8],
        of structure: String,
        _ decode: (inout RowCursor) throws(RowFault) -> Row
    ) async throws(StoreError) -> [Row] {
        let answer: [UInt8]
        do throws(ColumnFailure) {
            let table = ClickHouseClient.External(name: "given", structure: structure, rows: rows)
            answer = try await client.ask(query + " FORMAT RowBinary", with: [table])
        } catch {
            throw failure(error)
        }
        var list: [Row] = []
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in list.append(try decode(&row)) }
        } catch {
            throw unreadable()
        }
        return list
    }

    func unreadable() -> StoreError {
        .analysis("ClickHouse at \(client.address.server) sent a response that cannot be parsed.")
    }
}

extension RowCursor {
    /// Reads a value of type `FixedString(16)` as an id.
    mutating func id<ID: UniqueID>(_: ID.Type = ID.self) throws(RowFault) -> ID {
        let (high, low) = try halves()
        return ID(high: high, low: low)
    }

    /// Reads an id; nil for the missing id.
    mutating func optionalID<ID: UniqueID>(_: ID.Type = ID.self) throws(RowFault) -> ID? {
        let (high, low) = try halves()
        return high == 0 && low == 0 ? nil : ID(high: high, low: low)
    }

    /// Reads a value of type `String` as UTF-8.
    mutating func text() throws(RowFault) -> String { String(decoding: try string(), as: UTF8.self) }

    /// Reads a string; nil if it is empty.
    mutating func textIfAny() throws(RowFault) -> String? {
        let bytes = try string()
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Reads an optional string with its type mark; nil if it is missing.
    mutating func optionalText() throws(RowFault) -> String? {
        let bytes = try string()
        return bytes.isEmpty ? nil : String(decoding: bytes.dropFirst(), as: UTF8.self)
    }

    /// Reads a value of type `Int64` as a time.
    mutating func time() throws(RowFault) -> Timestamp { Timestamp(milliseconds: try int64()) }

    /// Reads a value of type `Int64` as a position.
    mutating func position() throws(RowFault) -> EventPosition { EventPosition(rawValue: try int64()) }
}
