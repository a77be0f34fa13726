// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// One installation: kills its processes, delivers with one more, and compares the collector's rows with the printed
/// events.
struct KillTrial {
    private let mode: KillMode
    private let seed: UInt64
    private let collector: Collector
    private var random: SeededGenerator

    init(_ mode: KillMode, seed: UInt64, _ collector: Collector) {
        self.mode = mode
        self.seed = seed
        self.collector = collector
        random = SeededGenerator(seed: seed)
    }

    mutating func run() throws -> KillTally {
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let printed = try killAll(data)
        let (installation, ledger) = try RecorderProcess.deliver(data: data, to: collector.url, mode.arguments)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(ledger.droppedTotal <= UInt64(mode.processes), "\(ledger)")

        var rows: [Key: Int] = [:]
        for row in comparison.rows {
            guard let run = row.text("run"), let thread = row.number("thread"), let number = row.number("n") else {
                continue
            }
            rows[Key(run: run, thread: thread, number: number, sequence: row.sequence), default: 0] += 1
        }
        var tally = KillTally()
        tally.trials = 1
        tally.kills = mode.processes
        tally.printed = printed.count
        tally.rows = comparison.rows.count
        tally.lost = printed.count { rows[$0] == nil }
        tally.duplicated = rows.values.count { $0 > 1 }
        tally.recognizedDuplicates = Int(comparison.duplicates)
        tally.unfinished = Int(ledger.droppedTotal)
        return tally
    }

    /// Identifies an event in a printed line and in a row.
    private struct Key: Hashable {
        var run: String
        var thread: Int
        var number: Int
        var sequence: UInt64
    }

    /// Starts all processes, kills each at a different moment, and returns the events that they printed.
    private mutating func killAll(_ data: String) throws -> Set<Key> {
        // Short and long events: some runs fill several segments, most only part of one.
        let longest = [40, 400, 4_000].randomElement(using: &random) ?? 40
        let recorders = try (1...mode.processes).map { process in
            try RecorderProcess(
                data: data,
                to: collector.url,
                [
                    "--threads", "\(mode.threads)", "--run", "p\(process)", "--seed", "\(seed % 1_000_000)",
                    "--bytes", "0", "\(longest)", "--no-life-cycle",
                ] + mode.arguments
            )
        }
        for recorder in recorders.shuffled(using: &random) {
            // After a random number of lines and a random delay: some processes are killed while starting, some while
            // recording.
            let lines = Int(pow(Double(2), Double.random(in: 0..<10, using: &random))) - 1
            try recorder.program.waitForLines(startingWith: "kept", count: lines)
            spin(microseconds: Int.random(in: 0..<3_000, using: &random))
            recorder.program.send(SIGKILL)
        }
        var printed: Set<Key> = []
        for (index, recorder) in recorders.enumerated() {
            #expect(try recorder.program.status() == .signalled(SIGKILL), "\(recorder.program.tail)")
            for line in try recorder.program.allLines().compactMap(RecordedLine.init) {
                printed.insert(
                    Key(run: "p\(index + 1)", thread: line.thread, number: line.number, sequence: line.sequence)
                )
            }
        }
        return printed
    }

    /// Busy-waits for a random time before the kill.
    ///
    /// Nothing depends on its accuracy.
    private func spin(microseconds: Int) {
        let end = ContinuousClock.now.advanced(by: .microseconds(microseconds))
        while ContinuousClock.now < end {}
    }
}
