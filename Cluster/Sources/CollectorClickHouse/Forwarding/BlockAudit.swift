// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The rows that an audit found missing from one block.
package struct BlockFinding: Sendable, Hashable {
    /// The block.
    package var decision: BlockDecision
    /// The number of missing rows in each table.
    package var missing: [ColumnTable: Int]
    /// Whether the missing rows were written again.
    package var isRepaired: Bool
    /// Whether purged records prevent rewriting the missing rows.
    package var isPurged: Bool

    /// Creates a finding.
    package init(decision: BlockDecision, missing: [ColumnTable: Int], isRepaired: Bool, isPurged: Bool = false) {
        self.decision = decision
        self.missing = missing
        self.isRepaired = isRepaired
        self.isPurged = isPurged
    }
}

/// The result of an audit.
package struct AuditReport: Sendable, Hashable {
    /// The number of audited blocks.
    package var blocks: UInt64 = 0
    /// The number of events in the audited blocks.
    package var events: UInt64 = 0
    /// The number of blocks that arrived in expired weeks.
    ///
    /// The events of these weeks are no longer kept.
    package var expired: UInt64 = 0
    /// The missing rows, block by block.
    package var findings: [BlockFinding] = []
    /// The number of erased installations that still had rows in the tables.
    ///
    /// A repairing audit also requests the removal of these rows.
    package var erasedWithRows = 0
    /// Why the audit could not be finished; nil if it was finished.
    package var failure: String?

    /// Whether the audit finished and left no rows missing.
    package var isComplete: Bool { failure == nil && findings.allSatisfy(\.isRepaired) }

    /// Whether rewritten rows may reveal more records from erased installations.
    ///
    /// Such records are found through the tables of counts and erasures.
    package var mayRevealErasedRecords: Bool {
        findings.contains { $0.isRepaired && ($0.missing[.counts] != nil || $0.missing[.erasures] != nil) }
    }

    /// Creates an empty report.
    package init() {}
}

/// The table operations needed for an audit.
package protocol AuditStore: ColumnStore {
    /// Returns the number of rows that each block has in a table.
    ///
    /// Blocks without rows are omitted.
    ///
    /// - Throws: ``ColumnFailure``.
    func rows(of blocks: ClosedRange<UInt64>, in table: ColumnTable) async throws(ColumnFailure) -> [UInt64: Int]

    /// Returns each block's row counts as stated by the table of blocks.
    ///
    /// Blocks that are missing from that table are omitted.
    ///
    /// - Throws: ``ColumnFailure``.
    func statedCounts(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: [ColumnTable: Int]]

    /// Returns the erased installations that still have rows.
    ///
    /// - Throws: ``ColumnFailure``.
    func erasedWithRows() async throws(ColumnFailure) -> [InstallationID]

    /// Returns the number of each block's written events that were erased afterward.
    ///
    /// These are the events of erased installations.
    ///
    /// Blocks without erased installations are omitted.
    ///
    /// - Throws: ``ColumnFailure``.
    func erasedEvents(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: Int]

    /// Returns the blocks that arrived in expired weeks.
    ///
    /// The events of these weeks are no longer kept.
    ///
    /// - Throws: ``ColumnFailure``.
    func expired(among blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> Set<UInt64>
}

extension ForwardingRunner {
    /// The number of blocks per query.
    private static let blocksPerQuery: UInt64 = 1_000

    /// Compares the tables with the table of blocks, and rewrites incomplete blocks.
    ///
    /// Audits the blocks that count as written when the audit begins. Forwarding may continue concurrently.
    ///
    /// Events of expired weeks are not reported as missing, and are not written again. A block whose records were
    /// purged is never written again. It is compared with its row counts at the time of writing, minus the rows erased
    /// since.
    ///
    /// - Parameters:
    ///   - shouldRepair: Whether to write missing rows; otherwise they are only reported.
    ///   - first: The sequence of the first record that is still in the stream.
    package func audit(_ store: some AuditStore, shouldRepair: Bool, since first: UInt64 = 1) async -> AuditReport {
        var report = AuditReport()
        do throws(StepFailure) {
            let completed = try await highestWritten(store)
            var next: UInt64 = 1
            while next <= completed {
                let last = min(completed, next + Self.blocksPerQuery - 1)
                try await audit(store, next...last, shouldRepair, since: first, &report)
                next = last + 1
            }
            let erasedWithRows = try await query { () throws(ColumnFailure) in try await store.erasedWithRows() }
            report.erasedWithRows = erasedWithRows.count
            if shouldRepair, !erasedWithRows.isEmpty {
                try await query { () throws(ColumnFailure) in try await store.remove(erasedWithRows) }
            }
        } catch {
            report.failure = error.reason
        }
        return report
    }

    /// Returns the last block that counts as written, even if earlier blocks are missing.
    private func highestWritten(_ store: some AuditStore) async throws(StepFailure) -> UInt64 {
        let completed = try await query { () throws(ColumnFailure) in try await store.completed() }
        var highest = completed
        // The forwarder and this audit fill gaps, so blocks after a gap are audited too.
        while try await decision(highest + 1) != nil {
            let range = highest + 1...highest + Self.blocksPerQuery
            let stated = try await query { () throws(ColumnFailure) in try await store.statedCounts(of: range) }
            guard let last = stated.keys.max() else { break }
            highest = last
        }
        return highest
    }

    /// Returns the rows missing from blocks, without writing anything.
    func findMissingRows(
        _ store: some AuditStore,
        _ blocks: ClosedRange<UInt64>,
        since first: UInt64
    ) async throws(StepFailure) -> [BlockFinding] {
        var report = AuditReport()
        var next = blocks.lowerBound
        while next <= blocks.upperBound {
            let last = min(blocks.upperBound, next + Self.blocksPerQuery - 1)
            try await audit(store, next...last, false, since: first, &report)
            next = last + 1
        }
        return report.findings
    }

    private func audit(
        _ store: some AuditStore,
        _ blocks: ClosedRange<UInt64>,
        _ shouldRepair: Bool,
        since first: UInt64,
        _ report: inout AuditReport
    ) async throws(StepFailure) {
        let stated = try await query { () throws(ColumnFailure) in try await store.statedCounts(of: blocks) }
        var found: [ColumnTable: [UInt64: Int]] = [:]
        for table in ColumnTable.allCases where table != .blocks {
            found[table] = try await query { () throws(ColumnFailure) in try await store.rows(of: blocks, in: table) }
        }
        // This query comes after the row counts, because weeks recorded as expired in the meantime may have been
        // dropped before the rows were counted.
        let expired = try await query { () throws(ColumnFailure) in try await store.expired(among: blocks) }
        if !expired.isEmpty { try await checkFirstWeek(of: store) }
        report.expired += UInt64(expired.count)
        var erased: [UInt64: Int]?
        for block in blocks {
            report.blocks += 1
            report.events += UInt64(stated[block]?[.ids] ?? 0)
            // Expired rows do not count as missing.
            let stated = stated[block]?.filter {
                !(expired.contains(block) && ColumnTable.partitionedByWeek.contains($0.key))
            }
            let isComplete =
                stated != nil
                && ColumnTable.allCases.allSatisfy { found[$0]?[block] ?? 0 >= stated?[$0] ?? 0 }
            if isComplete { continue }
            let decision = try await requiredDecision(block)
            guard decision.first < first else {
                try await repair(store, decision, shouldRepair, &report)
                continue
            }
            let erasedCounts: [UInt64: Int]
            if let known = erased {
                erasedCounts = known
            } else {
                erasedCounts = try await query { () throws(ColumnFailure) in try await store.erasedEvents(of: blocks) }
                erased = erasedCounts
            }
            let missing = Self.missing(stated: stated, found: found.compactMapValues { $0[block] }, erasedCounts[block])
            guard !missing.isEmpty else { continue }
            report.findings.append(
                BlockFinding(decision: decision, missing: missing, isRepaired: false, isPurged: true)
            )
        }
    }

    /// Returns the missing rows of a block that cannot be rebuilt.
    ///
    /// Only the events of erased installations are counted separately. Other tables that lose rows when an
    /// installation is erased may have fewer rows than were written, and the difference is unknown.
    ///
    /// - Parameter erased: The number of the block's erased events; nil if no installation of the block was erased.
    private static func missing(
        stated: [ColumnTable: Int]?,
        found: [ColumnTable: Int],
        _ erased: Int?
    ) -> [ColumnTable: Int] {
        guard let stated else { return [.blocks: 1] }
        return stated.reduce(into: [:]) { missing, entry in
            let (table, count) = entry
            var missingCount = count - (found[table] ?? 0)
            if let erased, ColumnTable.installationTables.contains(table) {
                missingCount = table == .events ? missingCount - erased : 0
            }
            if missingCount > 0 { missing[table] = missingCount }
        }
    }

    func requiredDecision(_ block: UInt64) async throws(StepFailure) -> BlockDecision {
        if let decision = try await decision(block) { return decision }
        throw StepFailure(
            reason: "The tables have block \(block), which was never decided: they belong to another stream."
        )
    }

    /// Recomputes a block's rows, and writes them to tables that lack some.
    private func repair(
        _ store: some AuditStore,
        _ decision: BlockDecision,
        _ shouldRepair: Bool,
        _ report: inout AuditReport
    ) async throws(StepFailure) {
        let block = decision.block
        guard decision.version <= BlockRows.version else {
            throw StepFailure(
                reason: "Block \(block) was decided by a newer version of trackway. Install that version here."
            )
        }
        let rows = try await currentRows(store, decision)
        let isExpired = try await isExpired(rows.week, from: store)
        var missing: [ColumnTable: Int] = [:]
        for table in ColumnTable.allCases
        where table != .blocks && !(isExpired && ColumnTable.partitionedByWeek.contains(table)) {
            let found =
                try await query { () throws(ColumnFailure) in
                    try await store.rows(of: block...block, in: table)
                }[block] ?? 0
            if found < rows.count(table) { missing[table] = rows.count(table) - found }
        }
        if try await query({ () throws(ColumnFailure) in try await store.statedCounts(of: block...block) })[block]
            == nil
        {
            missing[.blocks] = 1
        }
        // All rows that no longer exist were erased, so none are missing.
        if missing.isEmpty { return }
        if shouldRepair {
            try await write(rows, into: store) { missing[$0] != nil }
        }
        report.findings.append(BlockFinding(decision: decision, missing: missing, isRepaired: shouldRepair))
    }

    /// Returns a block's expected rows: those of installations that no block erased.
    private func currentRows(
        _ store: some AuditStore,
        _ decision: BlockDecision
    ) async throws(StepFailure) -> BlockRows {
        let builder = BlockBuilder(limits: limits)
        try await load(decision, into: builder)
        let installations = builder.installations
        var known = try await known(builder, before: decision.block)
        if !installations.isEmpty {
            let erased = try await query { () throws(ColumnFailure) in try await store.erased(among: installations) }
            known.erased.formUnion(erased)
        }
        return BlockRows(decision, builder, known: known)
    }
}
