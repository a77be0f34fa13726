// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Stage
internal import Testing

/// Damages the files of a real installation while no process runs.
///
/// The next start delivers everything except the damaged record, which both sides count. TrackwayJournalTests tries
/// every single byte position.
@Suite("Damaged files")
struct DamageTests {
    /// Each process of one installation leaves a log, each log is damaged differently, and one process delivers them
    /// all.
    @Test("truncated, zeroed or garbage tails and flipped bits lose only the damaged record, which is counted")
    func injuries() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        var chance = SeededGenerator(seed: Settings.seed)
        var expectations: [String: Injury.Expectation] = [:]
        for injury in Injury.all(using: &chance) {
            let writer = try leaveLog(in: data)
            expectations[writer.id] = try injury.inflict(on: writer)
        }

        let (installation, ledger) = try RecorderProcess.deliver(data: data, to: collector.url)
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        var damaged: UInt64 = 0
        for (writer, expectation) in expectations {
            let account = sides.accounts.first { $0.writer == writer }
            let sequences = Set(sides.rows.filter { $0.writer == writer }.map(\.sequence))
            #expect(sequences == expectation.intact, "\(expectation.injury)")
            #expect(account?.dropped ?? [:] == expectation.dropped, "\(expectation.injury)")
            damaged += expectation.dropped["damaged"] ?? 0
        }
        #expect(ledger.dropped == ["damaged": damaged])
    }

    /// Runs a process that records and is killed, so that it leaves its log as a crash would.
    private func leaveLog(in data: String) throws -> DamagedLog {
        let before = try Set(DamagedLog.all(in: data))
        let recorder = try RecorderProcess(
            data: data,
            to: "http://127.0.0.1:9",
            ["--orders", "--interval", "3600000", "--batch", "1000000"]
        )
        for length in 1...DamagedLog.events { try recorder.order("record 1 \(length * 3)") }
        recorder.program.send(SIGKILL)
        try recorder.program.status()
        guard let id = try DamagedLog.all(in: data).first(where: { !before.contains($0) }) else {
            throw TestSupportError("the recorder left no log in \(data)")
        }
        return try DamagedLog(id: id, data: data)
    }
}
