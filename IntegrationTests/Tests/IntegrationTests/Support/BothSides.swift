// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// The two sides of one installation: what its SDK says became of every event, and what the collector holds.
struct BothSides {
    let ledger: RecorderLedger
    let accounts: [CollectedAccount]
    let rows: [CollectedRow]

    init(_ collector: Collector, installation: String, ledger: RecorderLedger) throws {
        try collector.settle()
        self.ledger = ledger
        accounts = try collector.accounts(of: installation)
        rows = try collector.rows(of: installation)
    }

    var received: UInt64 { accounts.reduce(0) { $0 + $1.received } }
    var rejected: UInt64 { accounts.reduce(0) { $0 + $1.rejected } }
    var missing: UInt64 { accounts.reduce(0) { $0 + $1.missing } }
    var duplicates: UInt64 { accounts.reduce(0) { $0 + $1.duplicates } }
    var dropped: [String: UInt64] {
        accounts.reduce(into: [:]) { sum, account in sum.merge(account.dropped, uniquingKeysWith: +) }
    }

    /// recorded = delivered + pending + dropped on the device, nothing pending; and the same numbers in the collector, each
    /// event in one row.
    ///
    /// - Parameters:
    ///   - tombstones: how many of the events told of an erasing; they are received, and never rows.
    ///   - withdrawn: how many were given up because consent ended. Some may have come before: a kill took the answer.
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

    /// No event has two rows.
    func expectDistinct(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Set(rows.map(\.id)).count == rows.count, sourceLocation: sourceLocation)
        #expect(Set(rows.map { Place($0) }).count == rows.count, sourceLocation: sourceLocation)
    }

    /// The collector's order is each writer's order, and a writer's order is each of its threads' order.
    func expectOrdered(sourceLocation: SourceLocation = #_sourceLocation) {
        for (writer, rows) in Dictionary(grouping: rows, by: \.writer) {
            let disorder = Self.firstDisorder(rows.map(\.sequence))
            #expect(disorder == nil, "numbers of writer \(writer)", sourceLocation: sourceLocation)
            for (thread, rows) in Dictionary(grouping: rows, by: { $0.number("thread") }) {
                let disorder = Self.firstDisorder(rows.compactMap { $0.number("n") })
                #expect(disorder == nil, "thread \(thread ?? -1) of \(writer)", sourceLocation: sourceLocation)
            }
        }
    }

    /// The first neighbours that are not in ascending order.
    static func firstDisorder<Number: Comparable>(_ numbers: [Number]) -> String? {
        zip(numbers, numbers.dropFirst()).first { $0 >= $1 }.map { "\($0) before \($1)" }
    }

    /// Those of the numbers that no row has, the first few.
    func absent(_ sequences: ClosedRange<UInt64>) -> [UInt64] {
        let present = Set(rows.map(\.sequence))
        return Array(sequences.filter { !present.contains($0) }.prefix(10))
    }
}

/// Where an event stands for ever.
struct Place: Hashable {
    var writer: String
    var sequence: UInt64

    init(_ row: CollectedRow) {
        writer = row.writer
        sequence = row.sequence
    }
}
