// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore

/// Records numbered events.
///
/// Every event carries its thread's number and its own number within the thread, starting at 1, so that receivers can
/// detect reordering and gaps without the SDK.
final class LoadGenerator: Sendable {
    private let analytics: Analytics
    private let options: Options.Recording
    /// The next number of the thread that executes commands.
    private let lastNumber = Locked<Int>(0)

    init(_ analytics: Analytics, _ options: Options) {
        self.analytics = analytics
        self.options = Options.Recording(options)
    }

    /// Records on as many threads as the options specify.
    ///
    /// Returns when all have finished.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 1...options.threads {
                group.addTask {
                    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                        Thread.detachNewThread {
                            self.record(thread: number)
                            done.resume()
                        }
                    }
                }
            }
        }
    }

    private func record(thread: Int) {
        var length = options.lengths(thread: thread)
        var number = 0
        while options.count == 0 || number < options.count {
            number += 1
            record(name: "recorded", thread: thread, number: number, bytes: length.next())
            if let pause = options.pause { Thread.sleep(forTimeInterval: pause) }
        }
    }

    /// Records `count` events of this length on the calling thread, which has the number 0.
    func record(_ count: Int, bytes: Int, name: String = "recorded", to route: Route = .all) {
        for _ in 0..<count {
            record(name: name, thread: 0, number: next(), bytes: bytes, to: route)
        }
    }

    /// Records one event durably.
    func recordDurably() async throws {
        let number = next()
        let receipt = try await analytics.recordDurably("recorded", attributes(thread: 0, number: number, bytes: 0))
        printOutcome(receipt, thread: 0, number: number)
    }

    private func next() -> Int {
        lastNumber.withLock { number -> Int in
            number += 1
            return number
        }
    }

    private func record(name: String, thread: Int, number: Int, bytes: Int, to route: Route = .all) {
        let receipt = analytics.record(name, attributes(thread: thread, number: number, bytes: bytes), to: route)
        printOutcome(receipt, thread: thread, number: number)
    }

    private func attributes(thread: Int, number: Int, bytes: Int) -> Attributes {
        var attributes: Attributes = [
            "run": .string(options.run), "thread": .integer(Int64(thread)), "n": .integer(Int64(number)),
        ]
        if bytes > 0 { attributes["text"] = .string(String(repeating: "x", count: bytes)) }
        return attributes
    }

    private func printOutcome(_ receipt: Receipt, thread: Int, number: Int) {
        switch receipt.outcome {
        case .recorded(.kernel), .recorded(.disk): Output.line("kept \(receipt.sequence) \(thread) \(number)")
        case .recorded(.memory): Output.line("held \(receipt.sequence) \(thread) \(number)")
        case .dropped(let reason): Output.line("lost \(receipt.sequence) \(thread) \(number) \(reason.rawValue)")
        }
    }
}
