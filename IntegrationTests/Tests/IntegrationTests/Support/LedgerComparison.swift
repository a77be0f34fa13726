// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Both sides of one installation: the SDK's ledger, and the events in the collector.
struct LedgerComparison {
    let ledger: RecorderLedger
    let accounts: [CollectedWriterLedger]
    let rows: [CollectedRow]

    init(_ collector: Collector, installation: String, ledger: RecorderLedger) throws {
        try collector.waitForIndex()
        self.ledger = ledger
        accounts = try collector.writerLedgers(of: installation)
        rows = try collector.rows(of: installation)
    }

    var received: UInt64 { accounts.reduce(0) { $0 + $1.received } }
    var rejected: UInt64 { accounts.reduce(0) { $0 + $1.rejected } }
    var missing: UInt64 { accounts.reduce(0) { $0 + $1.missing } }
    var duplicates: UInt64 { accounts.reduce(0) { $0 + $1.duplicates } }
    var dropped: [String: UInt64] {
        accounts.reduce(into: [:]) { sum, account in sum.merge(account.dropped, uniquingKeysWith: +) }
    }

    /// Expects recorded = delivered + pending + dropped on the device, without pending events, and the same numbers in
    /// the collector, with each event in one row.
    ///
    /// - Parameters:
    ///   - tombstones: The number of tombstones among the events; they are received but never stored as rows.
    ///   - withdrawn: The number of events dropped because consent was withdrawn. Some may have arrived before, if a
    ///     kill lost the response.
    func expectComplete(
        tombstones: Int = 0,
        withdrawn: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(ledger.isBalanced, "\(ledger)", sourceLocation: sourceLocation)
        #expect(ledger.pending == 0, "\(ledger)", sourceLocation: sourceLocation)
        for account in accounts {
            #expect(account.isBalanced, "\(account)", sourceLocation: sourceLocation)
        }
        #expect(
            accounts.reduce(0) { $0 + $1.recorded } == ledger.recorded,
            "\(accounts)",
            sourceLocation: sourceLocation
        )
        #expect(
            (ledger.delivered...ledger.delivered + withdrawn).contains(received),
            "\(accounts) \(ledger)",
            sourceLocation: sourceLocation
        )
        #expect(UInt64(rows.count + tombstones) == received, sourceLocation: sourceLocation)
        expectDistinct(sourceLocation: sourceLocation)
        expectOrdered(sourceLocation: sourceLocation)
    }

    /// Expects that no event has two rows.
    func expectDistinct(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Set(rows.map(\.id)).count == rows.count, sourceLocation: sourceLocation)
        #expect(Set(rows.map { RowPosition($0) }).count == rows.count, sourceLocation: sourceLocation)
    }

    /// Expects that the collector preserves each writer's order, and that each writer preserves its threads' order.
    func expectOrdered(sourceLocation: SourceLocation = #_sourceLocation) {
        for (writer, rows) in Dictionary(grouping: rows, by: \.writer) {
            let disorder = Self.firstOutOfOrder(rows.map(\.sequence))
            #expect(disorder == nil, "sequence numbers of writer \(writer)", sourceLocation: sourceLocation)
            for (thread, rows) in Dictionary(grouping: rows, by: { $0.number("thread") }) {
                let disorder = Self.firstOutOfOrder(rows.compactMap { $0.number("n") })
                #expect(disorder == nil, "thread \(thread ?? -1) of \(writer)", sourceLocation: sourceLocation)
            }
        }
    }

    /// Returns the first adjacent numbers that are not in ascending order.
    static func firstOutOfOrder<Number: Comparable>(_ numbers: [Number]) -> String? {
        zip(numbers, numbers.dropFirst()).first { $0 >= $1 }.map { "\($0) before \($1)" }
    }

    /// Returns the first ten of these sequence numbers that have no row.
    func missingSequences(_ sequences: ClosedRange<UInt64>) -> [UInt64] {
        let storedSequences = Set(rows.map(\.sequence))
        return Array(sequences.filter { !storedSequences.contains($0) }.prefix(10))
    }
}

/// The permanent position of an event in its writer's sequence.
struct RowPosition: Hashable {
    var writer: String
    var sequence: UInt64

    init(_ row: CollectedRow) {
        writer = row.writer
        sequence = row.sequence
    }
}
