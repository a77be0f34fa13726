// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents
internal import TrackwayWire

/// Sends made-up data to a collector, some batches at once.
struct SampleUpload: Sendable {
    /// What became of it.
    struct Sent: Sendable, Hashable {
        /// Batches that were taken.
        var batches = 0
        /// Events that the collector has now.
        var events = 0
        /// Events that it refused.
        var rejected = 0
        /// Events that a device recorded and gave up, which were reported and not sent.
        var dropped = 0

        /// Adds what the collector answered to a batch.
        ///
        /// - Parameter recorded: how many events the batch tells of, those that were given up included.
        mutating func add(_ answer: JSONValue, recorded: Int) {
            let accepted = Int(clamping: answer["accepted"]?.integer ?? 0)
            let refused = answer["rejected"]?.array?.count ?? 0
            batches += 1
            events += accepted
            rejected += refused
            dropped += max(0, recorded - accepted - refused)
        }

        /// What became of the events, in one sentence.
        func sentence(days: Int) -> String {
            "Sent \(events.grouped) events of \(days) days in \(batches.grouped) batches. As they should be, "
                + "\(rejected.grouped) more were refused, and \(dropped.grouped) were reported as dropped by devices"
        }
    }

    /// So many requests are on their way at once: the collector flushes their batches together.
    private static let atOnce = 8
    /// How often a batch is sent again when the collector has no room for it.
    private static let attempts = 20

    private let client: CollectorClient
    private let headers: [(name: String, value: String)]

    /// An upload to a collector. Nothing is sent yet.
    init(to address: CollectorAddress) {
        client = CollectorClient(address)
        headers = [
            ("authorization", "Bearer \(address.key ?? "dev")"), ("content-type", "application/x-ndjson"),
        ]
    }

    /// Sends all of it, day after day, and shows how far it is.
    ///
    /// - Throws: ``CommandFailure`` with what the collector said.
    func send(_ shop: SampleShop, showing console: Console) async throws -> Sent {
        var sent = Sent()
        var bar = ProgressBar(total: UInt64(shop.days))
        try await shop.forEachDay { day, batches in
            try await withThrowingTaskGroup(of: (answer: JSONValue, recorded: Int).self) { group in
                for (index, batch) in batches.enumerated() {
                    if index >= Self.atOnce, let one = try await group.next() {
                        sent.add(one.answer, recorded: one.recorded)
                    }
                    group.addTask { (try await send(batch), batch.events) }
                }
                for try await one in group { sent.add(one.answer, recorded: one.recorded) }
            }
            bar.done = UInt64(day + 1)
            bar.note = "\(sent.events.grouped) events"
            console.redraw(bar.line(width: console.width))
        }
        console.redraw("")
        return sent
    }

    /// Sends one batch; returns the collector's answer.
    private func send(_ batch: SampleShop.Batch) async throws -> JSONValue {
        var attempt = 0
        while true {
            attempt += 1
            let (status, body): (Int, [UInt8])
            do {
                (status, body) = try await client.relay("/v1/events", headers: headers, body: batch.body)
            } catch let error as TransportError {
                throw CollectorAnswer.unreachable(client.address, error)
            }
            if status == 429 || status == 503, attempt < Self.attempts {
                try await Task.sleep(for: .milliseconds(250))
                continue
            }
            return try CollectorAnswer.value(status: status, body: body, address: client.address)
        }
    }
}
