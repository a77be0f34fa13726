// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import Foundation
internal import TrackwayCore

/// Tables in memory that parse `RowBinary` and merge rows with equal keys as ClickHouse does.
final class InMemoryTables: AuditStore, ErasureStore, ExpiryStore {
    /// A value of a row.
    enum Value: Hashable, Sendable {
        case integer(Int64)
        case unsigned(UInt64)
        case id(UInt64, UInt64)
        case text([UInt8])
        case texts([[UInt8]])
    }

    typealias Row = [String: Value]

    /// The result of a request, as chosen by a test.
    enum Outcome: Sendable {
        case succeeds
        /// The request is carried out, but the answer is lost.
        case answerLost
        /// The request is not carried out.
        case fails
    }

    struct State: Sendable {
        var tables: [ColumnTable: [[Value]: Row]] = [:]
        /// The recorded first weeks to keep.
        var firstWeeks: [Int64] = []
        /// The dropped weeks, in order.
        var dropped: [Int64] = []
        /// The time of the server's clock.
        var now = Timestamp(milliseconds: 0)
        /// Called before the first week is looked up, with the number of lookups so far.
        var beforeFirstWeek: @Sendable (Int, inout State) -> Void = { _, _ in }
        var firstWeekReads = 0
        /// The number of written rows, including duplicates.
        var written = 0
        /// Decides the results of the next requests.
        var outcome: @Sendable (ColumnTable?) -> Outcome = { _ in .succeeds }
    }

    let state = Locked(State())

    func rows(_ table: ColumnTable) -> [Row] { state.withLock { Array(($0.tables[table] ?? [:]).values) } }

    // MARK: ColumnStore

    func completed() async throws(ColumnFailure) -> UInt64 {
        let blocks = Set(rows(.blocks).compactMap { Self.block($0) })
        var last: UInt64 = 0
        while blocks.contains(last + 1) { last += 1 }
        return last
    }

    func known(
        ids: [EventID],
        installations: [InstallationID],
        before block: UInt64
    ) async throws(ColumnFailure) -> KnownRows {
        let (ids, installations) = (Set(ids), Set(installations))
        var known = KnownRows()
        for row in rows(.ids) where Self.block(row) ?? 0 < block {
            guard case .id(let high, let low)? = row["id"] else { continue }
            let id = EventID(high: high, low: low)
            if ids.contains(id) { known.ids.insert(id) }
        }
        for row in rows(.erasures) where Self.block(row) ?? 0 < block {
            if let id = Self.installation(row), installations.contains(id) { known.erased.insert(id) }
        }
        return known
    }

    func rejected(
        of accounts: [BlockBuilder.AccountKey],
        before block: UInt64
    ) async throws(ColumnFailure) -> [BlockBuilder.AccountKey: SequenceRanges] {
        let requested = Set(accounts)
        return rows(.ranges).reduce(into: [:]) { rejected, row in
            guard Self.count(row, "kind") == RangeKind.rejected.rawValue, Self.block(row) ?? 0 < block,
                let installation = Self.installation(row), case .id(let high, let low)? = row["writer"]
            else { return }
            let account = BlockBuilder.AccountKey(
                installation: installation,
                writer: WriterID(high: high, low: low)
            )
            guard requested.contains(account) else { return }
            let range = UInt64(Self.count(row, "first"))...UInt64(Self.count(row, "last"))
            rejected[account, default: SequenceRanges()].insert(range)
        }
    }

    func signIns(
        since starts: [InstallationID: Int64],
        before block: UInt64
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>] {
        rows(.signIns).reduce(into: [:]) { found, row in
            guard let installation = Self.installation(row), let start = starts[installation],
                Self.block(row) ?? 0 < block, let signIn = Self.signIn(row), signIn.time >= start
            else { return }
            found[installation, default: []].insert(signIn)
        }
    }

    func signedInEvents(
        in conflicts: [InstallationID: BlockSignIns.Conflict],
        before block: UInt64
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>] {
        var found: [InstallationID: Set<SignIn>] = [:]
        var before: [InstallationID: [ByteText: SignIn]] = [:]
        for row in rows(.timeline) where Self.block(row) ?? 0 < block {
            guard let installation = Self.installation(row), let conflict = conflicts[installation],
                let signIn = Self.signIn(row), conflict.users.contains(signIn.user)
            else { continue }
            if conflict.times.contains(signIn.time) {
                found[installation, default: []].insert(signIn)
            } else if signIn.time < conflict.times.lowerBound {
                let known = before[installation]?[signIn.user]
                before[installation, default: [:]][signIn.user] = known.map { max($0, signIn) } ?? signIn
            }
        }
        for (installation, users) in before { found[installation, default: []].formUnion(users.values) }
        return found
    }

    /// Returns the signed-in event of a row; nil if no user was signed in.
    private static func signIn(_ row: Row) -> SignIn? {
        guard case .integer(let time)? = row["time"] else { return nil }
        let user = text(row, "user")
        if user.isEmpty { return row["mark"] == nil ? nil : .separate }
        return SignIn(time: time, user: ByteText(user))
    }

    func insert(_ rows: [UInt8], into table: ColumnTable) async throws(ColumnFailure) {
        let outcome = state.withLock { $0.outcome }(table)
        if case .fails = outcome { throw ColumnFailure(.unreachable, "It fails.") }
        guard let read = Self.read(rows, of: table) else {
            throw ColumnFailure(.other, "These are not rows of \(table).")
        }
        state.withLock { state in
            for row in read {
                state.tables[table, default: [:]][table.key.compactMap { row[$0] }] = row
                state.written += 1
            }
        }
        if case .answerLost = outcome { throw ColumnFailure(.unreachable, "The answer was lost.") }
    }

    func erased(among installations: [InstallationID]) async throws(ColumnFailure) -> [InstallationID] {
        let erased = Set(rows(.erasures).compactMap { Self.installation($0) })
        return installations.filter { erased.contains($0) }
    }

    func remove(_ installations: [InstallationID]) async throws(ColumnFailure) {
        let all = Set(installations)
        state.withLock { state in
            for table in ColumnTable.installationTables {
                state.tables[table] = state.tables[table]?.filter { row in
                    Self.installation(row.value).map { !all.contains($0) } ?? true
                }
            }
        }
    }

    // MARK: ExpiryStore

    func firstWeek() async throws(ColumnFailure) -> Int64? {
        state.withLock { state in
            state.firstWeekReads += 1
            state.beforeFirstWeek(state.firstWeekReads, &state)
            return state.firstWeeks.max()
        }
    }

    func drop(week: Int64) async throws(ColumnFailure) {
        if case .fails = state.withLock({ $0.outcome })(nil) { throw ColumnFailure(.unreachable, "It fails.") }
        state.withLock { state in
            state.dropped.append(week)
            state.tables[.events] = state.tables[.events]?.filter { Self.week($0.value, "received") != week }
        }
    }

    func clock() async throws(ColumnFailure) -> Timestamp { state.withLock { $0.now } }

    func weeks() async throws(ColumnFailure) -> [StoredWeek] {
        let rows = rows(.events).reduce(into: [Int64: UInt64]()) { $0[Self.week($1, "received"), default: 0] += 1 }
        return rows.map { StoredWeek(number: $0.key, rows: $0.value) }
    }

    func recordFirstWeek(_ week: Int64) async throws(ColumnFailure) {
        let outcome = state.withLock { $0.outcome }(nil)
        if case .fails = outcome { throw ColumnFailure(.unreachable, "It fails.") }
        state.withLock { $0.firstWeeks.append(week) }
        if case .answerLost = outcome { throw ColumnFailure(.unreachable, "The answer was lost.") }
    }

    func expired(among blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> Set<UInt64> {
        guard let firstWeek = state.withLock({ $0.firstWeeks.max() }) else { return [] }
        let positions = rows(.places).filter { Self.count($0, "kind") == 0 && Self.week($0, "arrived") < firstWeek }
        return Set(positions.compactMap { Self.block($0) }.filter { blocks.contains($0) })
    }

    private static func week(_ row: Row, _ column: String) -> Int64 {
        Int64(count(row, column)) / BlockCutter.millisecondsPerWeek
    }

    // MARK: AuditStore

    func rows(of blocks: ClosedRange<UInt64>, in table: ColumnTable) async throws(ColumnFailure) -> [UInt64: Int] {
        rows(table).reduce(into: [:]) { counts, row in
            if let block = Self.block(row), blocks.contains(block) { counts[block, default: 0] += 1 }
        }
    }

    func statedCounts(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: [ColumnTable: Int]] {
        rows(.blocks).reduce(into: [:]) { result, row in
            guard let block = Self.block(row), blocks.contains(block) else { return }
            var counts: [ColumnTable: Int] = [.events: Self.count(row, "rows"), .ids: Self.count(row, "rows")]
            for table in ColumnTable.counted { counts[table] = Self.count(row, table.rawValue) }
            result[block] = counts
        }
    }

    func erasedWithRows() async throws(ColumnFailure) -> [InstallationID] {
        let erased = Set(rows(.erasures).compactMap { Self.installation($0) })
        let present = ColumnTable.installationTables.flatMap { rows($0) }.compactMap { Self.installation($0) }
        return Array(Set(present).intersection(erased))
    }

    func erasedEvents(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: Int] {
        let erased = Set(rows(.erasures).compactMap { Self.installation($0) })
        return rows(.counts).reduce(into: [:]) { events, row in
            guard let block = Self.block(row), blocks.contains(block), let id = Self.installation(row),
                erased.contains(id)
            else { return }
            events[block, default: 0] += Self.count(row, "events")
        }
    }

    // MARK: ErasureStore

    func erased() async throws(ColumnFailure) -> Set<InstallationID> {
        Set(rows(.erasures).compactMap { Self.installation($0) })
    }

    func erasedBlocks(
        after done: UInt64,
        upTo goal: UInt64,
        from first: UInt64
    ) async throws(ColumnFailure) -> [UInt64] {
        func erased(upTo last: UInt64) -> Set<InstallationID> {
            Set(rows(.erasures).filter { Self.block($0) ?? 0 <= last }.compactMap { Self.installation($0) })
        }
        let (known, all) = (erased(upTo: done), erased(upTo: goal))
        let blocks = rows(.counts).compactMap { row -> UInt64? in
            guard let block = Self.block(row), let owner = Self.installation(row), all.contains(owner),
                block > done || !known.contains(owner)
            else { return nil }
            return block
        }
        return Set(blocks).filter { $0 >= first && $0 <= goal }.sorted()
    }

    // MARK: Rows

    static func block(_ row: Row) -> UInt64? {
        if case .integer(let block)? = row["block"] { UInt64(block) } else { nil }
    }

    static func installation(_ row: Row) -> InstallationID? {
        if case .id(let high, let low)? = row["installation"] { InstallationID(high: high, low: low) } else { nil }
    }

    static func count(_ row: Row, _ column: String) -> Int {
        switch row[column] {
        case .unsigned(let value): Int(value)
        case .integer(let value): Int(value)
        default: 0
        }
    }

    static func text(_ row: Row, _ column: String) -> String {
        if case .text(let bytes)? = row[column] { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// Parses rows; nil if the bytes end within a row.
    static func read(_ bytes: [UInt8], of table: ColumnTable) -> [Row]? {
        var rest = bytes[...]
        func number(_ size: Int) -> UInt64? {
            guard rest.count >= size else { return nil }
            defer { rest = rest.dropFirst(size) }
            return rest.prefix(size).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        func text() -> [UInt8]? {
            var (length, shift) = (0, 0)
            while let byte = rest.popFirst() {
                length |= Int(byte & 0x7f) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            guard rest.count >= length else { return nil }
            defer { rest = rest.dropFirst(length) }
            return Array(rest.prefix(length))
        }
        func texts() -> [[UInt8]]? {
            // Only counts below 128 occur in these tests.
            guard let count = number(1), count < 0x80 else { return nil }
            var texts: [[UInt8]] = []
            for _ in 0..<count {
                guard let text = text() else { return nil }
                texts.append(text)
            }
            return texts
        }
        var rows: [Row] = []
        while !rest.isEmpty {
            var row: Row = [:]
            for column in table.columns {
                let value: Value? =
                    switch column.type {
                    case .int64: number(8).map { .integer(Int64(bitPattern: $0)) }
                    case .uint64: number(8).map { .unsigned($0) }
                    case .uint32: number(4).map { .unsigned($0) }
                    case .uint8: number(1).map { .unsigned($0) }
                    case .id:
                        if let high = number(8), let low = number(8) {
                            .id(high.byteSwapped, low.byteSwapped)
                        } else {
                            nil
                        }
                    case .text: text().map { .text($0) }
                    case .texts: texts().map { .texts($0) }
                    }
                guard let value else { return nil }
                row[column.name] = value
            }
            rows.append(row)
        }
        return rows
    }
}
