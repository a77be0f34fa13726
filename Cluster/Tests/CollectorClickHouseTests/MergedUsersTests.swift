// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable internal import CollectorClickHouse

/// Tests that statements are evaluated step by step as they are together.
@Suite("Merged users of the tables")
struct MergedUsersTests {
    private static func row(
        _ position: Int64,
        _ user: String,
        _ target: String?,
        _ time: Int64,
        on installation: UInt64?
    ) -> MergeRow {
        MergeRow(
            MergeStatement(user, into: target, at: time, by: installation == nil ? .operator : .app),
            at: EventPosition(rawValue: position),
            installation: installation.map { SentBatch.installation($0) },
            key: "dev",
            received: Timestamp(milliseconds: time)
        )
    }

    @Test(arguments: 1...20)
    func `statements added in parts have the same result as all together`(_ seed: UInt64) {
        var random = SeededNumberGenerator(seed: seed)
        let ids = (0..<12).map { "u\($0)" } + ["null"]
        let rows = (1...60).map { position in
            let isOperator = random.oneIn(3)
            let target = isOperator && random.oneIn(3) ? nil : ids[random.number(0...12)]
            return Self.row(
                Int64(position) * 8,
                ids[random.number(0...12)],
                target,
                Int64(random.number(0...9)),
                // Each has its own installation, so none is a repetition.
                on: isOperator ? nil : UInt64(position)
            )
        }
        var merged = MergedUsers()
        var next = 0
        while next < rows.count {
            let end = min(rows.count, next + random.number(1...9))
            merged.add(Array(rows[next..<end]))
            next = end
        }
        var together = MergedUsers()
        together.add(rows.reversed())
        let rules = UserMerges(rows.map(\.statement))
        for id in ids {
            #expect(merged.root(of: id) == rules.root(of: id))
            #expect(merged.ids(of: id) == together.ids(of: id))
            #expect(merged.statements(connectedWith: [id]) == together.statements(connectedWith: [id]))
            #expect(Set(merged.ids(of: id)) == Set(ids.filter { rules.root(of: $0) == rules.root(of: id) }))
        }
        let outcomes = merged.statements(connectedWith: ids).map { "\($0.statement) \($0.outcome)" }.sorted()
        #expect(outcomes == zip(rows, rules.outcomes).map { "\($0.statement) \($1)" }.sorted())
    }

    @Test
    func `an app that merges everyone is limited to 200 statements, and repetitions count once`() {
        var merged = MergedUsers()
        let limit = MergeStatement.maximumConnected
        merged.add((1...Int64(limit) + 50).map { Self.row($0 * 8, "u\($0)", "all", $0, on: 1) })
        #expect(merged.merged(into: "all").count == limit)
        merged.add([Self.row(10_000, "v", "all", 1, on: nil), Self.row(10_008, "u1", "all", -5, on: 1)])
        #expect(merged.merged(into: "all").count == limit + 1)
        let statements = merged.statements(connectedWith: ["v"])
        #expect(statements.count == limit + 1)
        #expect(statements.first?.statement.time == -5)
    }
}
