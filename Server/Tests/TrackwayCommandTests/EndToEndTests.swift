// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("The command and a real collector")
struct EndToEndTests {
    @Test
    func `sent events are stored completely, and remain after the collector restarts`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                var sender = try Sender(to: address, folder: folder + "/journal", console: .standard)
                for number in 0..<2_500 { _ = sender.record("bulk", ["number": number]) }
                _ = sender.record("purchase", ["total": 12.5], items: [Item(id: "A-1")])
                await sender.finish(timeout: .seconds(60))
                #expect(sender.tally.recorded == 2_501)
                #expect(sender.tally.delivered == 2_501)
                #expect(sender.tally.pending == 0)
                let client = CollectorClient(address)
                _ = try await client.get("/v1/wait", query: [("count", "2501"), ("timeout", "60")], timeout: 90)
                let ledger = CollectorLedger(try await client.get("/v1/ledger"))
                #expect(ledger.isComplete)
                #expect(ledger.total(\.received) == 2_501)
            }
            try await RunningCollector.with(folder: folder + "/collector") { address in
                let found = try await CollectorClient(address).get("/v1/events", query: [("name", "purchase")])
                let event = try #require(found["events"]?.array?.first)
                let summary = try #require(StoredEventSummary(event))
                #expect(summary.name == "purchase")
                #expect(summary.items == 1)
                #expect(summary.attributes.map(\.key) == ["total"])
            }
        }
    }

    @Test
    func `events stay pending without a collector, and the next run delivers them`() async throws {
        try await RunningCollector.withFolder { folder in
            let unreachable = try CollectorAddress("127.0.0.1:1", key: "dev")
            var first = try Sender(to: unreachable, folder: folder + "/journal", console: .standard)
            _ = first.record("early", [:])
            await first.finish(timeout: .zero)
            #expect(first.tally.pending == 1)
            try await RunningCollector.with(folder: folder + "/collector") { address in
                var second = try Sender(to: address, folder: folder + "/journal", console: .standard)
                await second.finish(timeout: .seconds(60))
                #expect(second.tally.delivered == 1)
                #expect(second.tally.pending == 0)
            }
        }
    }

    @Test
    func `the live stream starts with the latest events, in order`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                var sender = try Sender(to: address, folder: folder + "/journal", console: .standard)
                for name in ["one", "two", "three"] { _ = sender.record(name, [:]) }
                await sender.finish(timeout: .seconds(60))
                _ = try await CollectorClient(address).get(
                    "/v1/wait",
                    query: [("count", "3"), ("timeout", "60")],
                    timeout: 90
                )
                var follower = LiveFollower(address: address, query: [("last", "2")], console: .standard)
                var names: [String] = []
                try await follower.run { event in
                    names += [StoredEventSummary(event)?.name ?? "?"]
                    return names.count < 2
                }
                #expect(names == ["two", "three"])
            }
        }
    }

    @Test
    func `a folder or a port can be used by only one collector`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/one") { address in
                let port = try #require(address.root.split(separator: ":").last.flatMap { Int($0) })
                let second = await #expect(throws: CommandFailure.self) {
                    try await RunningCollector.with(folder: folder + "/one") { _ in }
                }
                #expect(second?.status == .cannotCreate)
                #expect(second?.message.contains("another collector") == true)
                let third = await #expect(throws: CommandFailure.self) {
                    try await RunningCollector.with(folder: folder + "/two", port: port) { _ in }
                }
                #expect(third?.status == .cannotCreate)
                #expect(third?.message.contains("in use") == true)
            }
        }
    }

    @Test
    func `over an unreliable connection, a real collector stores every event once and recognizes repeats`() async throws
    {
        try await RunningCollector.withFolder { folder in
            try await DemoEnvironment.open(folder: folder, port: 0) { environment in
                var sender = try Sender(
                    to: try CollectorAddress(environment.flaky, key: "dev"),
                    folder: folder + "/journal",
                    console: .standard
                )
                for number in 0..<50 { _ = sender.record("event", ["number": number]) }
                await sender.finish(timeout: .seconds(60))
                #expect(sender.tally.pending == 0)
                #expect(environment.badAnswers.bad >= 2)
                let client = CollectorClient(environment.audit)
                _ = try await client.get("/v1/wait", query: [("count", "50"), ("timeout", "60")], timeout: 90)
                let events = try await client.get("/v1/events", query: [("limit", "1000")])["events"]?.array ?? []
                #expect(events.count == 50)
                #expect(Set(events.compactMap { $0["id"]?.string }).count == 50)
            }
        }
    }
}
