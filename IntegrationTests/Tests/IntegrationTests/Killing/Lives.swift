// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Stage
internal import Testing

/// One folder in which processes begin, do as they are told and are killed, one after the other, until the last one sees
/// everything through.
struct Lives {
    /// When a process is killed.
    enum Moment {
        /// So many microseconds after it was started.
        case young(Int)
        /// So many microseconds after it began with its order of this number, from 0.
        case order(Int, Int)
        /// So many microseconds after it said this word so often.
        case words(String, Int, Int)
    }

    let data: String
    /// What the seed draws.
    var chance: SeededGenerator
    private(set) var story = Story()
    private let folder: TemporaryFolder
    private let url: String
    private let arguments: [String]
    private var kills = 0

    /// - Parameters:
    ///   - url: where the destination `collector` is.
    ///   - arguments: what all processes are told.
    init(seed: UInt64, to url: String, _ arguments: [String] = []) throws {
        folder = try TemporaryFolder()
        data = folder.path("data")
        chance = SeededGenerator(seed: seed)
        self.url = url
        // Quick, so that much happens in little time; deaf to signals, because it is only ever killed.
        self.arguments =
            ["--no-life-cycle", "--interval", "20", "--batch", "10", "--retry", "5", "40", "--tell-start", "--orders"]
            + arguments
    }

    /// One process: it begins, follows the orders, and is killed.
    ///
    /// - Parameter other: where its destination `collector` is; where all others find it when nil.
    mutating func live(
        to other: String? = nil,
        _ more: [String] = [],
        _ orders: [String] = [],
        killedAt moment: Moment
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

    /// The last process: follows the orders, delivers everything, and gives its installation and its accounts.
    mutating func end(
        _ more: [String] = [],
        _ orders: [String] = []
    ) throws -> (installation: String, ledgers: [String: RecorderLedger]) {
        let recorder = try start(more)
        for order in orders { try recorder.order(order) }
        for _ in 0..<30 {
            // What became a dead letter or given up is told with the request after.
            let answers = try recorder.answers(to: "flush 5", beginning: "complete")
            if answers == ["true"] { break }
        }
        _ = try recorder.answers(to: "flush 5", beginning: "report")
        guard let line = try recorder.answers(to: "ledger", beginning: "ledger").last else {
            throw StageError("no ledger:\n\(recorder.program.tail)")
        }
        try recorder.exit()
        try story.add(try recorder.program.allLines(), run: run)
        guard let installation = story.installations.last else {
            throw StageError("no installation:\n\(recorder.program.tail)")
        }
        return (installation, try RecorderLedger.all(line))
    }

    /// A process that begins beside the others and is not killed here; what it says is no part of the story.
    func companion(_ more: [String] = []) throws -> RecorderProcess {
        try RecorderProcess(data: data, to: url, arguments + ["--run", "companion"] + more)
    }

    /// How long a process takes from its start until it is ready, in microseconds; it ends by itself.
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

    /// A moment between nothing and so many microseconds, short ones as likely as long ones.
    mutating func moment(upTo longest: Int) -> Int {
        Int(pow(Double(longest), Double.random(in: 0...1, using: &chance))) - 1
    }

    /// Names the process that begins next, and the one that just ended.
    private var run: String { "life-\(story.lives + 1)" }

    private func start(to other: String? = nil, _ more: [String]) throws -> RecorderProcess {
        try RecorderProcess(data: data, to: other ?? url, arguments + ["--run", run] + more)
    }

    /// Lets the process run on for a drawn moment. Nothing waits for its end: it only moves the kill.
    private static func spin(_ microseconds: Int) {
        let end = ContinuousClock.now.advanced(by: .microseconds(microseconds))
        while ContinuousClock.now < end {}
    }
}
