// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// A folder whose processes are started, given commands and killed one after another.
///
/// The last process completes and delivers everything.
struct KillScenario {
    /// The moment at which a process is killed.
    enum KillPoint {
        /// This many microseconds after its start.
        case afterStart(Int)
        /// This many microseconds after it started the command with this index, starting at 0.
        case afterCommand(Int, Int)
        /// This many microseconds after it printed this word this number of times.
        case afterLines(String, Int, Int)
    }

    let data: String
    /// The generator for all random choices.
    var random: SeededGenerator
    private(set) var timeline = ProcessTimeline()
    private let folder: TemporaryFolder
    private let url: String
    private let arguments: [String]
    private var kills = 0

    /// - Parameters:
    ///   - url: The address of the destination `collector`.
    ///   - arguments: The arguments of all processes.
    init(seed: UInt64, to url: String, _ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        data = folder.path("data")
        random = SeededGenerator(seed: seed)
        self.url = url
        // Short intervals exercise more of the code between kills. Lifecycle signals are not handled, because processes
        // are only killed.
        self.arguments =
            [
                "--no-life-cycle", "--interval", "20", "--batch", "10", "--retry", "5", "40", "--print-start",
                "--commands",
            ]
            + arguments
    }

    /// Starts a process, sends it the commands, and kills it.
    ///
    /// - Parameter other: The address of its destination `collector`; nil for the common one.
    mutating func runAndKill(
        to other: String? = nil,
        _ extraArguments: [String] = [],
        _ commands: [String] = [],
        killedAt killPoint: KillPoint
    ) throws {
        let recorder = try start(to: other, extraArguments)
        for command in commands { recorder.program.writeLine(command) }
        switch killPoint {
        case .afterStart(let microseconds):
            Self.spin(microseconds)
        case .afterCommand(let number, let microseconds):
            try recorder.program.waitForLines(startingWith: "command", count: number + 1)
            Self.spin(microseconds)
        case .afterLines(let word, let count, let microseconds):
            try recorder.program.waitForLines(startingWith: word, count: count)
            Self.spin(microseconds)
        }
        recorder.program.send(SIGKILL)
        let status = try recorder.program.status()
        #expect(status == .signalled(SIGKILL), "\(recorder.program.tail)")
        kills += 1
        try timeline.add(try recorder.program.allLines(), run: run)
    }

    /// Runs the last process: executes the commands, delivers everything, and returns the installation and the ledgers.
    mutating func finish(
        _ extraArguments: [String] = [],
        _ commands: [String] = []
    ) throws -> (installation: String, ledgers: [String: RecorderLedger]) {
        let recorder = try start(extraArguments)
        for command in commands { try recorder.execute(command) }
        for _ in 0..<30 {
            // Dead letters and dropped events are reported with the next request.
            let responses = try recorder.responses(to: "flush 5", startingWith: "complete")
            if responses == ["true"] { break }
        }
        _ = try recorder.responses(to: "flush 5", startingWith: "report")
        guard let line = try recorder.responses(to: "ledger", startingWith: "ledger").last else {
            throw TestSupportError("no ledger:\n\(recorder.program.tail)")
        }
        try recorder.exit()
        try timeline.add(try recorder.program.allLines(), run: run)
        guard let installation = timeline.installations.last else {
            throw TestSupportError("no installation:\n\(recorder.program.tail)")
        }
        return (installation, try RecorderLedger.all(line))
    }

    /// Starts another process that is not killed here and whose output is not part of the timeline.
    func startCompanion(_ extraArguments: [String] = []) throws -> RecorderProcess {
        try RecorderProcess(data: data, to: url, arguments + ["--run", "companion"] + extraArguments)
    }

    /// Returns the startup time of a process in microseconds.
    ///
    /// The process then exits normally.
    mutating func measureStartup() throws -> Int {
        let clock = ContinuousClock()
        let started = clock.now
        let recorder = try start([])
        _ = try recorder.installation()
        let startup = clock.now - started
        try recorder.exit()
        try timeline.add(try recorder.program.allLines(), run: run)
        return Int(startup / .microseconds(1))
    }

    /// Returns a random time of up to this many microseconds, with a logarithmic distribution.
    mutating func randomDelay(upTo longest: Int) -> Int {
        Int(pow(Double(longest), Double.random(in: 0...1, using: &random))) - 1
    }

    /// The name of the next process while none is running, and of the last one after it has ended.
    private var run: String { "process-\(timeline.processCount + 1)" }

    private func start(to other: String? = nil, _ extraArguments: [String]) throws -> RecorderProcess {
        try RecorderProcess(data: data, to: other ?? url, arguments + ["--run", run] + extraArguments)
    }

    /// Busy-waits for a random time before the kill.
    ///
    /// Nothing depends on its accuracy.
    private static func spin(_ microseconds: Int) {
        let end = ContinuousClock.now.advanced(by: .microseconds(microseconds))
        while ContinuousClock.now < end {}
    }
}
