// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// Damages the files of a real installation while no process runs.
///
/// The next start delivers everything except the damaged record, which both sides count. TrackwayJournalTests tries
/// every single byte position.
@Suite("Damaged files")
struct DamageTests {
    /// Each process of one installation leaves a log, each log is damaged differently, and one process delivers them
    /// all.
    @Test
    func `truncated, zeroed or garbage tails and flipped bits lose only the damaged record, which is counted`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        var random = SeededGenerator(seed: Settings.seed)
        var expectations: [String: LogDamage.Expectation] = [:]
        for damage in LogDamage.all(using: &random) {
            let writer = try makeCrashedLog(in: data)
            expectations[writer.id] = try damage.apply(to: writer)
        }

        let (installation, ledger) = try RecorderProcess.deliver(data: data, to: collector.url)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        var damaged: UInt64 = 0
        for (writer, expectation) in expectations {
            let account = comparison.accounts.first { $0.writer == writer }
            let sequences = Set(comparison.rows.filter { $0.writer == writer }.map(\.sequence))
            #expect(sequences == expectation.intact, "\(expectation.damage)")
            #expect(account?.dropped ?? [:] == expectation.dropped, "\(expectation.damage)")
            damaged += expectation.dropped["damaged"] ?? 0
        }
        #expect(ledger.dropped == ["damaged": damaged])
    }

    /// Runs a process that records and is killed, so that it leaves its log as a crash would.
    private func makeCrashedLog(in data: String) throws -> DamagedLog {
        let before = try Set(DamagedLog.all(in: data))
        let recorder = try RecorderProcess(
            data: data,
            to: "http://127.0.0.1:9",
            ["--commands", "--interval", "3600000", "--batch", "1000000"]
        )
        for length in 1...DamagedLog.events { try recorder.execute("record 1 \(length * 3)") }
        recorder.program.send(SIGKILL)
        try recorder.program.status()
        guard let id = try DamagedLog.all(in: data).first(where: { !before.contains($0) }) else {
            throw TestSupportError("the recorder left no log in \(data)")
        }
        return try DamagedLog(id: id, data: data)
    }
}
