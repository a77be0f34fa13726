// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Stage
internal import Testing

/// Apps that withhold events and attributes from a real collector.
@Suite("Destination rules")
struct DestinationRuleTests {
    private static let rules = [
        "--orders", "--no-life-cycle", "--batch", "10", "--interval", "20", "--retry", "5", "40", "--deny", "debug_*",
        "--redact", "run", "--rename", "buy=purchase", "--intercept", "secret",
    ]

    @Test("rules apply across a kill, both ledgers balance, and no events are missing")
    func killed() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let first = try RecorderProcess(data: data, to: collector.url, Self.rules + ["--run", "private"])
        let installation = try first.installation()
        for _ in 0..<5 {
            try first.order("record 20 0 debug_tap")
            try first.order("record 10 0 buy")
            try first.order("record 10 0 secret")
            try first.order("record 10")
        }
        try first.flush()
        try first.order("record 30 0 buy")
        try first.order("record 30 0 debug_tap")
        first.program.send(SIGKILL)
        try first.program.status()

        let second = try RecorderProcess(data: data, to: collector.url, Self.rules + ["--run", "private"])
        _ = try second.installation()
        try second.order("record 10 0 debug_tap")
        try second.order("record 1 0 last")
        try second.deliverAll()
        let ledger = try second.ledger()
        try second.exit()

        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.missing == 0)
        #expect(ledger.dropped == ["denied_by_rule": 140])
        #expect(sides.dropped == ledger.dropped)
        #expect(sides.rows.filter { $0.name == "purchase" }.count == 80)
        #expect(Set(sides.rows.map(\.name)) == ["purchase", "recorded", "last"])
        #expect(sides.rows.allSatisfy { $0.text("run") == nil && $0.number("n") != nil })
    }
}
