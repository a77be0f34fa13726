// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage
internal import TrackwayEvents

/// Posts batches on its own thread until it is stopped or refused, and tracks which were acknowledged.
final class Sender: @unchecked Sendable {
    // `@unchecked`: the following properties are accessed only while `condition` is held.
    private let condition = NSCondition()
    private var answered: [[String]] = []
    private var unanswered: [[String]] = []
    private var refusals: [HTTPMessage] = []
    private var isStopping = false
    private var isRunning = false

    private let collector: Collector
    private let ids: EventIDGenerator
    private let eventsPerBatch: Int

    init(_ collector: Collector, number: UInt64, eventsPerBatch: Int = 20) {
        self.collector = collector
        self.eventsPerBatch = eventsPerBatch
        ids = EventIDGenerator(chance: number &* 0x9e37_79b9_7f4a_7c15)
    }

    /// Acknowledged batches: the ids of their events.
    var kept: [[String]] { condition.withLock { answered } }
    /// Batches without a response: the collector has each either completely or not at all.
    var open: [[String]] { condition.withLock { unanswered } }
    /// All other responses.
    var refused: [HTTPMessage] { condition.withLock { refusals } }

    /// Sends until the first failure.
    func start() {
        condition.withLock {
            isStopping = false
            isRunning = true
        }
        Thread.detachNewThread {
            while !self.condition.withLock({ self.isStopping }), self.sendBatch() {}
            self.condition.withLock {
                self.isRunning = false
                self.condition.broadcast()
            }
        }
    }

    /// Waits until `count` batches in total have been acknowledged.
    func waitForAnswers(_ count: Int) throws {
        try wait("answer \(count)") { $0.answered.count >= count || !$0.isRunning }
    }

    /// Waits until a failure has stopped the sender.
    func waitForEnd() throws {
        try wait("the end of a sender") { !$0.isRunning }
    }

    /// Stops sending and waits for the pending response.
    func stop() throws {
        condition.withLock { isStopping = true }
        try waitForEnd()
    }

    /// Sends one batch.
    ///
    /// Returns false if it was not accepted.
    @discardableResult
    func sendBatch() -> Bool {
        var names: [String] = []
        var body: [UInt8] = []
        for _ in 0..<eventsPerBatch {
            let id = ids.next(at: Timestamp(milliseconds: 1_795_000_000_000))
            names.append("\(id)")
            body += Array(#"{"id":"\#(id)","name":"sent","time":1795000000000,"mono":1}"#.utf8) + [UInt8(ascii: "\n")]
        }
        // Without a response, for whatever reason, nothing was acknowledged.
        let answer = try? collector.post(body)
        return condition.withLock {
            defer { condition.broadcast() }
            switch answer?.status {
            case 200:
                answered.append(names)
                return true
            case nil: unanswered.append(names)
            default: if let answer { refusals.append(answer) }
            }
            return false
        }
    }

    private func wait(_ expectation: String, _ isReached: (Sender) -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        condition.lock()
        defer { condition.unlock() }
        while !isReached(self) {
            guard condition.wait(until: deadline) else { throw Overdue("\(expectation) did not arrive") }
        }
    }
}
