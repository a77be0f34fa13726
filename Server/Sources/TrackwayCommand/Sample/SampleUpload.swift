// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Sends sample data to a collector, several batches concurrently.
struct SampleUpload: Sendable {
    /// The totals of an upload.
    struct Summary: Sendable, Hashable {
        /// The number of batches that the collector accepted.
        var batches = 0
        /// The number of events that the collector accepted.
        var events = 0
        /// The number of events that the collector rejected.
        var rejected = 0
        /// The number of events that devices recorded and dropped, and therefore reported but did not send.
        var dropped = 0

        /// Adds the collector's response to a batch.
        ///
        /// - Parameter recorded: The number of events that the batch reports, including dropped events.
        mutating func add(_ answer: JSONValue, recorded: Int) {
            let accepted = Int(clamping: answer["accepted"]?.integer ?? 0)
            let refused = answer["rejected"]?.array?.count ?? 0
            batches += 1
            events += accepted
            rejected += refused
            dropped += max(0, recorded - accepted - refused)
        }

        /// Returns the totals as a sentence.
        func sentence(days: Int) -> String {
            "Sent \(events.grouped) events of \(days) days in \(batches.grouped) batches. As intended, "
                + "\(rejected.grouped) more were rejected, and \(dropped.grouped) were reported as dropped by devices"
        }
    }

    /// The number of concurrent requests; the collector flushes their batches together.
    private static let atOnce = 8
    /// The maximum number of attempts per batch while the collector is overloaded.
    private static let attempts = 20

    private let client: CollectorClient
    private let headers: [(name: String, value: String)]

    /// Creates an upload to a collector without sending anything.
    init(to address: CollectorAddress) {
        client = CollectorClient(address)
        headers = [
            ("authorization", "Bearer \(address.key ?? "dev")"), ("content-type", "application/x-ndjson"),
        ]
    }

    /// Sends all data, day by day, and shows the progress.
    ///
    /// - Throws: ``CommandFailure`` with the collector's message.
    func send(_ shop: SampleShop, showing console: Console) async throws -> Summary {
        var sent = Summary()
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

    /// Sends one batch, and returns the collector's response.
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
