// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The rows that an audit found missing from one block.
package struct BlockFinding: Sendable, Hashable {
    /// The block.
    package var decision: BlockDecision
    /// The number of missing rows in each table.
    package var missing: [ColumnTable: Int]
    /// Whether the missing rows were written again.
    package var isMended: Bool
    /// Whether rewriting is impossible because records were purged from the stream.
    package var isPurged: Bool

    /// Creates a finding.
    package init(decision: BlockDecision, missing: [ColumnTable: Int], isMended: Bool, isPurged: Bool = false) {
        self.decision = decision
        self.missing = missing
        self.isMended = isMended
        self.isPurged = isPurged
    }
}

/// The result of an audit.
package struct AuditReport: Sendable, Hashable {
    /// The number of audited blocks.
    package var blocks: UInt64 = 0
    /// The number of their events.
    package var events: UInt64 = 0
    /// The number of blocks that arrived in weeks whose events are no longer kept.
    package var expired: UInt64 = 0
    /// The missing rows, block by block.
    package var findings: [BlockFinding] = []
    /// The number of erased installations that still had rows.
    ///
    /// An audit that writes also orders their removal.
    package var remains = 0
    /// Why the audit could not be finished; nil if it was.
    package var trouble: String?

    /// Whether all rows exist now.
    package var isWhole: Bool { trouble == nil && findings.allSatisfy(\.isMended) }

    /// Whether rewritten rows may reveal more records of erased installations.
    ///
    /// Such records are found through the tables of counts and of erasures.
    package var mayHaveHiddenErased: Bool {
        findings.contains { $0.isMended && ($0.missing[.counts] != nil || $0.missing[.erasures] != nil) }
    }

    /// Creates an empty report.
    package init() {}
}

/// The tables, as used by an audit.
package protocol AuditedStore: ColumnStore {
    /// Returns the number of rows that each block has in a table.
    ///
    /// Blocks without rows are omitted.
    ///
    /// - Throws: ``ColumnFailure``.
    func rows(of blocks: ClosedRange<UInt64>, in table: ColumnTable) async throws(ColumnFailure) -> [UInt64: Int]

    /// Returns each block's row counts as stated by the table of blocks.
    ///
    /// Blocks that are missing there are omitted.
    ///
    /// - Throws: ``ColumnFailure``.
    func told(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: [ColumnTable: Int]]

    /// Returns the erased installations that still have rows.
    ///
    /// - Throws: ``ColumnFailure``.
    func remains() async throws(ColumnFailure) -> [InstallationID]

    /// Returns the number of each block's written events whose installations were erased since.
    ///
    /// Blocks without erased installations are omitted.
    ///
    /// - Throws: ``ColumnFailure``.
    func erasedEvents(of blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> [UInt64: Int]

    /// Returns the blocks that arrived in weeks whose events are no longer kept.
    ///
    /// - Throws: ``ColumnFailure``.
    func expired(among blocks: ClosedRange<UInt64>) async throws(ColumnFailure) -> Set<UInt64>
}

extension ForwardingRunner {
    /// The number of blocks per query.
    private static let stretch: UInt64 = 1_000

    /// Compares the tables with the table of blocks, and rewrites incomplete blocks.
    ///
    /// Audits the blocks that count as written when it begins. Forwarding may continue concurrently.
    ///
    /// Events of expired weeks are not reported as missing, and are not written again. A block whose records were
    /// purged is compared with its row counts when it was written, less what was erased since, and is never written
    /// again.
    ///
    /// - Parameters:
    ///   - isMending: Whether to write missing rows; otherwise they are only reported.
    ///   - first: The sequence of the first record that is still in the stream.
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

    /// Returns the last block that counts as written, whatever is missing before it.
    private func highestWritten(_ store: some AuditedStore) async throws(StepFailure) -> UInt64 {
        let completed = try await ask { () throws(ColumnFailure) in try await store.completed() }
        var highest = completed
        // The forwarder and this audit fill gaps, so blocks after a gap are audited too.
        while try await decision(highest + 1) != nil {
            let range = highest + 1...highest + Self.stretch
            let told = try await ask { () throws(ColumnFailure) in try await store.told(of: range) }
            guard let last = told.keys.max() else { break }
            highest = last
        }
        return highest
    }

    /// Returns the rows missing from blocks, without writing anything.
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
        // Queried after the rows: weeks recorded as expired in the meantime may have been dropped before rows were
        // counted.
        let expired = try await ask { () throws(ColumnFailure) in try await store.expired(among: blocks) }
        if !expired.isEmpty { try await checkRecord(of: store) }
        report.expired += UInt64(expired.count)
        var erased: [UInt64: Int]?
        for block in blocks {
            report.blocks += 1
            report.events += UInt64(told[block]?[.ids] ?? 0)
            // Expired rows are not missing.
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

    /// Returns the missing rows of a block that cannot be rebuilt.
    ///
    /// Only the events of erased installations are counted separately. The other tables that lose rows with an
    /// installation may have fewer rows than were written, and the difference is unknown.
    ///
    /// - Parameter erased: The number of the block's erased events; nil if no installation of the block was erased.
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
            reason: "The tables have block \(block), which was never decided: they belong to another stream."
        )
    }

    /// Recomputes a block's rows, and writes those of tables that lack any.
    private func mend(
        _ store: some AuditedStore,
        _ decision: BlockDecision,
        _ isMending: Bool,
        _ report: inout AuditReport
    ) async throws(StepFailure) {
        let block = decision.block
        guard decision.version <= BlockRows.version else {
            throw StepFailure(
                reason: "Block \(block) was decided by a newer version of trackway. Install that version here."
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
        // The rows that no longer exist were erased.
        if missing.isEmpty { return }
        if isMending {
            try await write(rows, into: store) { missing[$0] != nil }
        }
        report.findings.append(BlockFinding(decision: decision, missing: missing, isMended: isMending))
    }

    /// Returns a block's rows as they should be now: without installations that any block erased.
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
