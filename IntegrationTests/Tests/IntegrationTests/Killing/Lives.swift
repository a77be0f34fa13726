// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Stage
internal import Testing

/// A folder whose processes are started, given commands and killed one after another.
///
/// The last process completes and delivers everything.
struct Lives {
    /// The moment at which a process is killed.
    enum DualTimestamp {
        /// This many microseconds after its start.
        case young(Int)
        /// This many microseconds after it began the command with this index, starting at 0.
        case order(Int, Int)
        /// This many microseconds after it printed this word this number of times.
        case words(String, Int, Int)
    }

    let data: String
    /// The generator for all random choices.
    var chance: SeededGenerator
    private(set) var story = Story()
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
        chance = SeededGenerator(seed: seed)
        self.url = url
        // Short intervals exercise more of the code between kills. Lifecycle signals are not handled, because processes
        // are only killed.
        self.arguments =
            ["--no-life-cycle", "--interval", "20", "--batch", "10", "--retry", "5", "40", "--tell-start", "--orders"]
            + arguments
    }

    /// Starts a process, sends it the commands, and kills it.
    ///
    /// - Parameter other: The address of its destination `collector`; nil for the common one.
    mutating func live(
        to other: String? = nil,
        _ more: [String] = [],
        _ orders: [String] = [],
        killedAt moment: DualTimestamp
    ) throws {
        let recorder = try start(to: other, more)
        for order in orders { recorder.program.order(order) }
        switch moment {
        case .young(let microseconds):
            Self.spin(microseconds)
        case .order(let number, let microseconds):
            try recorder.program.waitForLines(beginning: "order", count: number + 1)
            Self.spin(microseconds)
        case .words(let word, let count, let microseconds):
            try recorder.program.waitForLines(beginning: word, count: count)
            Self.spin(microseconds)
        }
        recorder.program.send(SIGKILL)
        let status = try recorder.program.status()
        #expect(status == .signalled(SIGKILL), "\(recorder.program.tail)")
        kills += 1
        try story.add(try recorder.program.allLines(), run: run)
    }

    /// Runs the last process: executes the commands, delivers everything, and returns the installation and the ledgers.
    mutating func end(
        _ more: [String] = [],
        _ orders: [String] = []
    ) throws -> (installation: String, ledgers: [String: RecorderLedger]) {
        let recorder = try start(more)
        for order in orders { try recorder.order(order) }
        for _ in 0..<30 {
            // Dead letters and dropped events are reported with the next request.
            let answers = try recorder.answers(to: "flush 5", beginning: "complete")
            if answers == ["true"] { break }
        }
        _ = try recorder.answers(to: "flush 5", beginning: "report")
        guard let line = try recorder.answers(to: "ledger", beginning: "ledger").last else {
            throw TestSupportError("no ledger:\n\(recorder.program.tail)")
        }
        try recorder.exit()
        try story.add(try recorder.program.allLines(), run: run)
        guard let installation = story.installations.last else {
            throw TestSupportError("no installation:\n\(recorder.program.tail)")
        }
        return (installation, try RecorderLedger.all(line))
    }

    /// Starts another process that is not killed here and whose output is not part of the story.
    func companion(_ more: [String] = []) throws -> RecorderProcess {
        try RecorderProcess(data: data, to: url, arguments + ["--run", "companion"] + more)
    }

    /// Returns the startup time of a process in microseconds.
    ///
    /// The process then exits normally.
    mutating func youth() throws -> Int {
        let clock = ContinuousClock()
        let began = clock.now
        let recorder = try start([])
        _ = try recorder.installation()
        let youth = clock.now - began
        try recorder.exit()
        try story.add(try recorder.program.allLines(), run: run)
        return Int(youth / .microseconds(1))
    }

    /// Returns a random time of up to this many microseconds, with a logarithmic distribution.
    mutating func moment(upTo longest: Int) -> Int {
        Int(pow(Double(longest), Double.random(in: 0...1, using: &chance))) - 1
    }

    /// The name of the next process while none is running, and of the last one after it has ended.
    private var run: String { "life-\(story.lives + 1)" }

    private func start(to other: String? = nil, _ more: [String]) throws -> RecorderProcess {
        try RecorderProcess(data: data, to: other ?? url, arguments + ["--run", run] + more)
    }

    /// Busy-waits for a random time before the kill.
    ///
    /// Nothing depends on its accuracy.
    private static func spin(_ microseconds: Int) {
        let end = ContinuousClock.now.advanced(by: .microseconds(microseconds))
        while ContinuousClock.now < end {}
    }
}
