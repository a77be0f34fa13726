// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// Sends made-up data to a collector, some batches at once.
struct SampleUpload: Sendable {
    /// What became of it.
    struct Sent: Sendable {
        var batches = 0
        var events = 0
        var rejected = 0
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
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (index, batch) in batches.enumerated() {
                    if index >= Self.atOnce, let rejected = try await group.next() { sent.rejected += rejected }
                    group.addTask { try await send(batch) }
                    sent.events += batch.events
                }
                for try await rejected in group { sent.rejected += rejected }
            }
            sent.batches += batches.count
            bar.done = UInt64(day + 1)
            bar.note = "\(sent.events.grouped) events"
            console.redraw(bar.line(width: console.width))
        }
        console.redraw("")
        return sent
    }

    /// Sends one batch; returns how many of its events were refused.
    private func send(_ batch: SampleShop.Batch) async throws -> Int {
        for attempt in 1... {
            let (status, body): (Int, [UInt8])
            do {
                (status, body) = try await client.relay("/v1/events", headers: headers, body: batch.body)
            } catch let failure as CommandFailure {
                throw failure
            } catch {
                throw CollectorAnswer.unreachable(client.address, error)
            }
            if status == 429 || status == 503, attempt < Self.attempts {
                try await Task.sleep(for: .milliseconds(250))
                continue
            }
            let answer = try CollectorAnswer.value(status: status, body: body, address: client.address)
            return answer["rejected"]?.array?.count ?? 0
        }
        return 0
    }
}
