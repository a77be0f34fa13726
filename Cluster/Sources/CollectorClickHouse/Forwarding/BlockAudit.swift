// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// What an audit found of one block.
package struct BlockFinding: Sendable, Hashable {
    /// The block.
    package var decision: BlockDecision
    /// How many rows are missing in which table.
    package var missing: [ColumnTable: Int]
    /// Whether it was written again.
    package var isMended: Bool
    /// Whether it cannot be written again, since records of it were purged from the stream.
    package var isPurged: Bool

    /// A finding.
    package init(decision: BlockDecision, missing: [ColumnTable: Int], isMended: Bool, isPurged: Bool = false) {
        self.decision = decision
        self.missing = missing
        self.isMended = isMended
        self.isPurged = isPurged
    }
}

/// What an audit came to.
package struct AuditReport: Sendable, Hashable {
    /// How many blocks were looked at.
    package var blocks: UInt64 = 0
    /// How many events they have.
    package var events: UInt64 = 0
    /// How many of the blocks arrived in weeks of which events are not kept any more.
    package var expired: UInt64 = 0
    /// What is missing, block by block.
    package var findings: [BlockFinding] = []
    /// How many erased installations had rows still, which were ordered to go.
    package var remains = 0
    /// Why it could not be finished; nil when it was.
    package var trouble: String?

    /// Whether everything is there, now.
    package var isWhole: Bool { trouble == nil && findings.allSatisfy(\.isMended) }

    /// Whether something was written again by which it is found what erased installations have in the stream.
    package var mayHaveHiddenErased: Bool {
        findings.contains { $0.isMended && ($0.missing[.counts] != nil || $0.missing[.erasures] != nil) }
    }

    /// Nothing yet.
    package init() {}
}

/// What an audit asks of tables.
package protocol AuditedStore: ColumnStore {
    /// How many rows each of some blocks has in a table; those without any are missing.
    ///
    /// - Throws: ``ColumnFailure``.
    func rows(of blocks: ClosedRange<UInt64>, in table: ColumnTable) async throws(ColumnFailure) -> [UInt64: Int]

    /// What the table of blocks says how many rows each has where; those that are not in it are missing.
    ///
    /// - Throws: ``ColumnFailure``.
    func told(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: [ColumnTable: Int]]

    /// The installations that were erased and have rows still.
    ///
    /// - Throws: ``ColumnFailure``.
    func remains() async throws(ColumnFailure) -> [InstallationID]

    /// How many events of installations that were erased since each of some blocks had when it was written; blocks in which nobody was
    /// erased are missing.
    ///
    /// - Throws: ``ColumnFailure``.
    func erasedEvents(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: Int]

    /// Those of some blocks that arrived in weeks of which events are not kept any more.
    ///
    /// - Throws: ``ColumnFailure``.
    func expired(among blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> Set<UInt64>
}

extension StreamForwarding {
    /// So many blocks are asked for at once.
    private static let stretch: UInt64 = 1_000

    /// Compares what is in the tables with what the table of blocks says, block by block, and writes again what is not whole.
    ///
    /// Looks at the blocks that count as written when it begins; whoever forwards meanwhile is not in its way.
    ///
    /// Events of weeks that went by age are not missed, and are not written again. A block of which records were purged is compared with what was written, less what was erased since, and is never written again.
    ///
    /// - Parameters:
    ///   - isMending: Whether to write; else it only tells.
    ///   - first: The sequence of the first record that the stream has still.
    package func audit(_ store: some AuditedStore, isMending: Bool, since first: UInt64 = 1) async -> AuditReport {
        var report = AuditReport()
        do throws(StepFailure) {
            let completed = try await highestWritten(store)
            var next: UInt64 = 1
            while next <= completed {
                let last = min(completed, next + Self.stretch - 1)
                try await audit(store, next...last, isMending, since: first, &report)
                next = last + 1
            }
            let remains = try await ask { () throws(ColumnFailure) in try await store.remains() }
            report.remains = remains.count
            if isMending, !remains.isEmpty {
                try await ask { () throws(ColumnFailure) in try await store.remove(remains) }
            }
        } catch {
            report.trouble = error.reason
        }
        return report
    }

    /// The last block that counts as written, whatever is missing before it.
    private func highestWritten(_ store: some AuditedStore) async throws(StepFailure) -> UInt64 {
        let completed = try await ask { () throws(ColumnFailure) in try await store.completed() }
        var highest = completed
        // A gap is for whoever forwards, and for this; blocks behind it are looked at, too.
        while try await decision(highest + 1) != nil {
            let range = highest + 1...highest + Self.stretch
            let told = try await ask { () throws(ColumnFailure) in try await store.told(of: range) }
            guard let last = told.keys.max() else { break }
            highest = last
        }
        return highest
    }

    /// What the tables lack of some blocks. Nothing is written.
    func lacking(
        _ store: some AuditedStore,
        _ blocks: ClosedRange<UInt64>,
        since first: UInt64
    ) async throws(StepFailure) -> [BlockFinding] {
        var report = AuditReport()
        var next = blocks.lowerBound
        while next <= blocks.upperBound {
            let last = min(blocks.upperBound, next + Self.stretch - 1)
            try await audit(store, next...last, false, since: first, &report)
            next = last + 1
        }
        return report.findings
    }

    private func audit(
        _ store: some AuditedStore,
        _ blocks: ClosedRange<UInt64>,
        _ isMending: Bool,
        since first: UInt64,
        _ report: inout AuditReport
    ) async throws(StepFailure) {
        let told = try await ask { () throws(ColumnFailure) in try await store.told(of: blocks) }
        var found: [ColumnTable: [UInt64: Int]] = [:]
        for table in ColumnTable.allCases where table != .blocks {
            found[table] = try await ask { () throws(ColumnFailure) in try await store.rows(of: blocks, in: table) }
        }
        // Behind the rows: what was recorded meanwhile may have gone before they were counted.
        let expired = try await ask { () throws(ColumnFailure) in try await store.expired(among: blocks) }
        if !expired.isEmpty { try await checkRecord(of: store) }
        report.expired += UInt64(expired.count)
        var erased: [UInt64: Int]?
        for block in blocks {
            report.blocks += 1
            report.events += UInt64(told[block]?[.ids] ?? 0)
            // What went by age is not missing.
            let told = told[block]?.filter { !(expired.contains(block) && ColumnTable.byWeek.contains($0.key)) }
            let isWhole =
                told != nil
                && ColumnTable.allCases.allSatisfy { found[$0]?[block] ?? 0 >= told?[$0] ?? 0 }
            if isWhole { continue }
            let decision = try await decided(block)
            guard decision.first < first else {
                try await mend(store, decision, isMending, &report)
                continue
            }
            let gone: [UInt64: Int]
            if let known = erased {
                gone = known
            } else {
                gone = try await ask { () throws(ColumnFailure) in try await store.erasedEvents(of: blocks) }
                erased = gone
            }
            let missing = Self.missing(told: told, found: found.compactMapValues { $0[block] }, gone[block])
            guard !missing.isEmpty else { continue }
            report.findings.append(
                BlockFinding(decision: decision, missing: missing, isMended: false, isPurged: true)
            )
        }
    }

    /// What a block lacks that cannot be made anew.
    ///
    /// Of an erased installation only its events were counted for themselves. The other tables that lose something with it may have fewer
    /// rows than were written, and how many fewer is not known.
    ///
    /// - Parameter erased: How many events went with whom was erased; nil when nobody of the block was.
    private static func missing(
        told: [ColumnTable: Int]?,
        found: [ColumnTable: Int],
        _ erased: Int?
    ) -> [ColumnTable: Int] {
        guard let told else { return [.blocks: 1] }
        return told.reduce(into: [:]) { missing, entry in
            let (table, count) = entry
            var lack = count - (found[table] ?? 0)
            if let erased, ColumnTable.ofInstallations.contains(table) { lack = table == .events ? lack - erased : 0 }
            if lack > 0 { missing[table] = lack }
        }
    }

    func decided(_ block: UInt64) async throws(StepFailure) -> BlockDecision {
        if let decision = try await decision(block) { return decision }
        throw StepFailure(
            reason: "Block \(block) is in the tables, and no such block was decided: they were made of another stream."
        )
    }

    /// Makes a block's rows anew, and writes them where any are missing.
    private func mend(
        _ store: some AuditedStore,
        _ decision: BlockDecision,
        _ isMending: Bool,
        _ report: inout AuditReport
    ) async throws(StepFailure) {
        let block = decision.block
        guard decision.version <= BlockRows.version else {
            throw StepFailure(
                reason: "Block \(block) was decided by a newer version of trackway. Install that version here, too."
            )
        }
        let rows = try await currentRows(store, decision)
        let isGone = try await isGone(rows.week, from: store)
        var missing: [ColumnTable: Int] = [:]
        for table in ColumnTable.allCases where table != .blocks && !(isGone && ColumnTable.byWeek.contains(table)) {
            let found =
                try await ask { () throws(ColumnFailure) in
                    try await store.rows(of: block...block, in: table)
                }[block] ?? 0
            if found < rows.count(table) { missing[table] = rows.count(table) - found }
        }
        if try await ask({ () throws(ColumnFailure) in try await store.told(of: block...block) })[block] == nil {
            missing[.blocks] = 1
        }
        // What is not there any more was erased.
        if missing.isEmpty { return }
        if isMending {
            try await write(rows, into: store) { missing[$0] != nil }
        }
        report.findings.append(BlockFinding(decision: decision, missing: missing, isMended: isMending))
    }

    /// A block's rows as they are to be now: without those of installations that were erased in whatever block.
    private func currentRows(
        _ store: some AuditedStore,
        _ decision: BlockDecision
    ) async throws(StepFailure) -> BlockRows {
        let builder = BlockBuilder(limits: limits)
        try await load(decision, into: builder)
        let installations = builder.installations
        var known = try await known(builder, before: decision.block)
        if !installations.isEmpty {
            let erased = try await ask { () throws(ColumnFailure) in try await store.erased(among: installations) }
            known.erased.formUnion(erased)
        }
        return BlockRows(decision, builder, known: known)
    }
}
