// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Stage
internal import Testing

/// A real installation whose files were damaged while no process ran: the next start delivers everything but the damaged
/// record, and both sides count that one. (Every single byte position is tried in TrackwayJournalTests.)
@Suite("Damaged files")
struct DamageTests {
    /// Each process of one installation leaves a log; each log gets an injury of its own; one process delivers them all.
    @Test("cut tails, zeroed and garbage tails, flipped bits: only the damaged record is lost, and counted")
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
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
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

    /// Runs a process that records and is killed, so that its log is left as a crash leaves it.
    private func leaveLog(in data: String) throws -> InjuredWriter {
        let before = try Set(InjuredWriter.all(in: data))
        let recorder = try RecorderProcess(
            data: data,
            to: "http://127.0.0.1:9",
            ["--orders", "--interval", "3600000", "--batch", "1000000"]
        )
        for length in 1...InjuredWriter.events { try recorder.order("record 1 \(length * 3)") }
        recorder.program.send(SIGKILL)
        try recorder.program.status()
        guard let id = try InjuredWriter.all(in: data).first(where: { !before.contains($0) }) else {
            throw StageError("the recorder left no log in \(data)")
        }
        return try InjuredWriter(id: id, data: data)
    }
}
