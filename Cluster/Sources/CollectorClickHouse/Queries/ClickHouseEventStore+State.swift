// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The status of the tables.
///
/// Everything except the totals is read from memory, as of the last ``ClickHouseEventStore/refresh()``.
extension ClickHouseEventStore: EventStore {
    package var failureReason: String? {
        let address = "\(client.address)"
        return state.withLock { $0.failureReason ?? $0.lag.message(for: address) }
    }

    /// The first position, which is always the start.
    ///
    /// Only events of erased installations and expired events (``retainedSince``) are ever removed here; only
    /// collectors without an engine can be reset.
    package var beginning: EventPosition { .start }

    package var indexed: EventPosition { signal.position }

    package func progress() -> AsyncStream<EventPosition> { signal.listen() }

    package func isErased(_ installation: InstallationID) -> Bool {
        state.withLock { $0.erased.contains(installation) || $0.pendingErasures[installation] != nil }
    }

    /// Refuses the users whose erasure was requested in this cluster.
    package func refuseUsers(of journal: any ErasureJournal) { state.withLock { $0.journal = journal } }

    package func isErased(user id: String) -> Bool {
        guard let journal = state.withLock({ $0.journal }) else { return false }
        let identities = journal.identities
        return !identities.isEmpty && identities.contains(journal.key.hash(user: id))
    }

    package var hasErasedUsers: Bool { state.withLock { $0.journal }.map { !$0.identities.isEmpty } ?? false }

    package func erasurePreview(of user: String) async throws(StoreError) -> ErasurePreview? {
        do throws(ColumnFailure) {
            return try await verifiedStore().erasurePreview(of: user)
        } catch {
            throw failure(error)
        }
    }

    package func installations(of person: PersonKey) async throws(StoreError) -> [PersonInstallation] {
        do throws(ColumnFailure) {
            let store = try await verifiedStore()
            switch person {
            case .user(let id):
                return try await store.installations(ofPerson: id).map {
                    PersonInstallation($0.id, times: $0.times)
                }
            case .visitor(let id):
                return try await store.installation(ofVisitor: id).map { [$0] } ?? []
            }
        } catch {
            throw failure(error)
        }
    }

    /// Returns the totals of the tables.
    ///
    /// The totals are counted on request, once for each block.
    ///
    /// - Complexity: O(blocks + installations · blocks they have events in + rejected events), in ClickHouse.
    package func totals() async throws(StoreError) -> StoreTotals {
        let block = try await completed()
        var totals: StoreTotals
        let receipts = state.withLock { $0.journal }?.receiptCount ?? 0
        if let known = state.withLock({ $0.totals }), known.block == block, known.receipts == receipts,
            known.totals.retainedSince == retainedSince
        {
            totals = known.totals
        } else {
            totals = try await count(upTo: block, retainedSince: retainedSince)
            state.withLock { $0.totals = (block, receipts, totals) }
        }
        totals.failureReason = failureReason
        totals.retainedSince = retainedSince
        return totals
    }

    private func count(upTo block: UInt64, retainedSince: Timestamp?) async throws(StoreError) -> StoreTotals {
        let isErased = "installation IN (SELECT installation FROM erasures)"
        let counts = "FROM counts FINAL WHERE block <= \(block)"
        let all = try await list("SELECT sum(rows), sum(repeats) FROM blocks FINAL WHERE block <= \(block)") {
            row throws(RowFault) in (events: try row.uint64(), repeats: try row.uint64())
        }
        let erased = try await list(
            "SELECT sum(events), sum(repeats), sum(refused), uniqExact(installation) \(counts) AND \(isErased)"
        ) { row throws(RowFault) in
            (events: try row.uint64(), repeats: try row.uint64(), refused: try row.uint64(), count: try row.uint64())
        }
        let installations = try await list(
            "SELECT uniqExact(installation) \(counts) AND installation != \(SQLText.missingID) AND NOT \(isErased)"
        ) { row throws(RowFault) in try row.uint64() }
        let damaged = try await list("SELECT sum(damaged) \(counts) AND installation = \(SQLText.missingID)") {
            row throws(RowFault) in try row.uint64()
        }
        let failed = try await list("SELECT count() FROM (\(RejectionSelection(block: block).sql([])))") {
            row throws(RowFault) in try row.uint64()
        }
        guard let all = all.first, let erased = erased.first else { throw unreadable() }
        let stored = try await stored(upTo: block, retainedSince: retainedSince)
        return StoreTotals(
            events: stored ?? all.events - min(all.events, erased.events),
            installations: installations.first ?? 0,
            failed: failed.first ?? 0,
            duplicates: all.repeats - min(all.repeats, erased.repeats),
            damaged: damaged.first ?? 0,
            erasedInstallations: UInt64(state.withLock { $0.erased.count }),
            erasedEvents: erased.events + erased.repeats + erased.refused,
            retainedSince: retainedSince
        )
    }

    /// Returns the number of remaining events; nil if none have expired by age.
    private func stored(upTo block: UInt64, retainedSince: Timestamp?) async throws(StoreError) -> UInt64? {
        guard let retainedSince else { return nil }
        let blocks =
            "FROM places FINAL WHERE kind = \(PlaceAggregates.OwnerKind.all.rawValue) AND whose = '' AND block <= \(block) "
            + "AND arrived >= \(retainedSince.milliseconds)"
        let counts = try await list(
            "SELECT sum(e), sum(g) FROM (SELECT events AS e, toUInt64(0) AS g \(blocks) UNION ALL SELECT toUInt64(0) AS e, events AS g "
                + "FROM counts FINAL WHERE block IN (SELECT block \(blocks)) AND installation IN (SELECT installation FROM erasures))"
        ) { row throws(RowFault) in (events: try row.uint64(), erased: try row.uint64()) }
        guard let count = counts.first else { throw unreadable() }
        return count.events - min(count.events, count.erased)
    }

    // MARK: Rows

    /// Returns the rows of a short response.
    ///
    /// - Throws: ``StoreError``, including when the query exceeds its budget.
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
        externalRows rows: [UInt8],
        of structure: String,
        _ decode: (inout RowCursor) throws(RowFault) -> Row
    ) async throws(StoreError) -> [Row] {
        let answer: [UInt8]
        do throws(ColumnFailure) {
            let table = ClickHouseClient.ExternalTable(name: "given", structure: structure, rows: rows)
            answer = try await client.run(query + " FORMAT RowBinary", with: [table])
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
        let (high, low) = try idHalves()
        return ID(high: high, low: low)
    }

    /// Reads an id; nil for the missing id.
    mutating func optionalID<ID: UniqueID>(_: ID.Type = ID.self) throws(RowFault) -> ID? {
        let (high, low) = try idHalves()
        return high == 0 && low == 0 ? nil : ID(high: high, low: low)
    }

    /// Reads a value of type `String` as UTF-8.
    mutating func text() throws(RowFault) -> String { String(decoding: try string(), as: UTF8.self) }

    /// Reads a string; nil if it is empty.
    mutating func nonEmptyText() throws(RowFault) -> String? {
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
