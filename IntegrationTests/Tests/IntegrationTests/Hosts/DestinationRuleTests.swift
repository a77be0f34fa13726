// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// Apps that withhold events and attributes from a real collector.
@Suite("Destination rules")
struct DestinationRuleTests {
    private static let rules = [
        "--commands", "--no-life-cycle", "--batch", "10", "--interval", "20", "--retry", "5", "40", "--deny", "debug_*",
        "--redact", "run", "--rename", "buy=purchase", "--intercept", "secret",
    ]

    @Test
    func `rules apply across a kill, both ledgers balance, and no events are missing`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let first = try RecorderProcess(data: data, to: collector.url, Self.rules + ["--run", "private"])
        let installation = try first.installation()
        for _ in 0..<5 {
            try first.execute("record 20 0 debug_tap")
            try first.execute("record 10 0 buy")
            try first.execute("record 10 0 secret")
            try first.execute("record 10")
        }
        try first.flush()
        try first.execute("record 30 0 buy")
        try first.execute("record 30 0 debug_tap")
        first.program.send(SIGKILL)
        try first.program.status()

        let second = try RecorderProcess(data: data, to: collector.url, Self.rules + ["--run", "private"])
        _ = try second.installation()
        try second.execute("record 10 0 debug_tap")
        try second.execute("record 1 0 last")
        try second.deliverAll()
        let ledger = try second.ledger()
        try second.exit()

        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.missing == 0)
        #expect(ledger.dropped == ["denied_by_rule": 140])
        #expect(comparison.dropped == ledger.dropped)
        #expect(comparison.rows.filter { $0.name == "purchase" }.count == 80)
        #expect(Set(comparison.rows.map(\.name)) == ["purchase", "recorded", "last"])
        #expect(comparison.rows.allSatisfy { $0.text("run") == nil && $0.number("n") != nil })
    }
}
