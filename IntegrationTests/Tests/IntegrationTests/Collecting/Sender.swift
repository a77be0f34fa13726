// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import TrackwayCore

/// Posts batches on its own thread until it is stopped or one fails, and tracks which were acknowledged.
final class Sender: @unchecked Sendable {
    // `@unchecked`: the following properties are accessed only while `condition` is held.
    private let condition = NSCondition()
    private var acknowledged: [[String]] = []
    private var unanswered: [[String]] = []
    private var rejectedResponses: [HTTPMessage] = []
    private var isStopping = false
    private var isRunning = false

    private let collector: Collector
    private let ids: EventIDGenerator
    private let eventsPerBatch: Int

    init(_ collector: Collector, number: UInt64, eventsPerBatch: Int = 20) {
        self.collector = collector
        self.eventsPerBatch = eventsPerBatch
        ids = EventIDGenerator(randomBits: number &* 0x9e37_79b9_7f4a_7c15)
    }

    /// Acknowledged batches: the ids of their events.
    var acknowledgedBatches: [[String]] { condition.withLock { acknowledged } }
    /// Batches without a response: the collector has each either completely or not at all.
    var unansweredBatches: [[String]] { condition.withLock { unanswered } }
    /// All other responses.
    var rejections: [HTTPMessage] { condition.withLock { rejectedResponses } }

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
    func waitForResponses(_ count: Int) throws {
        try wait("response \(count)") { $0.acknowledged.count >= count || !$0.isRunning }
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
        let response = try? collector.post(body)
        return condition.withLock {
            defer { condition.broadcast() }
            switch response?.status {
            case 200:
                acknowledged.append(names)
                return true
            case nil: unanswered.append(names)
            default: if let response { rejectedResponses.append(response) }
            }
            return false
        }
    }

    private func wait(_ expectation: String, _ isReached: (Sender) -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        condition.lock()
        defer { condition.unlock() }
        while !isReached(self) {
            guard condition.wait(until: deadline) else { throw TimeoutError("\(expectation) did not arrive") }
        }
    }
}
