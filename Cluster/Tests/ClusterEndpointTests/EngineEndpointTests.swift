// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import CollectorJetStream
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable import CollectorHTTP

@Suite("Uploads to a collector on JetStream", .timeLimit(.minutes(5)))
struct EngineEndpointTests {
    private static let event = Array(#"{"name":"view_item"}"#.utf8)

    /// How the NATS server treats publications.
    private enum Mood: Sendable {
        case takes
        case hasNoLeader
        case isFull
        case hasLost
    }

    /// A collector that publishes its records to a scripted server.
    private struct Setting: Sendable {
        let collector: CollectorUnderTest
        let mood: Locked<Mood>
        let standing: Locked<DurabilityState.Standing>
        let published: Locked<[ScriptedServer.Peer.Publication]>
    }

    private static func run(_ body: @escaping @Sendable (Setting) async throws -> Void) async throws {
        let mood = Locked(Mood.takes)
        let standing = Locked(DurabilityState.Standing.proven)
        let published = Locked<[ScriptedServer.Peer.Publication]>([])
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.welcome()
            while let publication = try await peer.publication() {
                switch mood.withLock({ $0 }) {
                case .takes:
                    let place = published.withLock { published in
                        published.append(publication)
                        return published.count
                    }
                    try await peer.answer(publication, #"{"stream":"INTAKE_0","seq":\#(place)}"#)
                case .hasNoLeader:
                    try await peer.answerNobody(publication)
                case .isFull:
                    let error = #"{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}"#
                    try await peer.answer(publication, #"{"error":\#(error),"stream":"INTAKE_0","seq":0}"#)
                case .hasLost:
                    try await peer.answer(publication, #"{"stream":"INTAKE_0","seq":1}"#)
                }
            }
        } _: { server in
            var random = SeededGenerator(seed: 3)
            var times = NATSTimes()
            times.greeting = .seconds(60)
            let (changes, changed) = AsyncStream.makeStream(of: Void.self)
            let client = NATSClient(
                [server.address],
                times: times,
                chance: { random.next() },
                sleep: { _ in await Task.yield() },
                changed: { changed.yield() }
            )
            let clock = ManualClock()
            let intake = StreamIntake(
                client,
                standing: { standing.withLock { $0 } },
                clock: clock,
                chance: { random.next() },
                // Sleeping advances the clock.
                sleep: { duration in
                    clock.advance(by: duration)
                    await Task.yield()
                }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                group.addTask {
                    for await _ in changes where client.connection != nil { break }
                    try await CollectorUnderTest.run(intake: intake) { collector in
                        try await body(
                            Setting(collector: collector, mood: mood, standing: standing, published: published)
                        )
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    @Test("a replicated batch is acknowledged with its position and stored unchanged in the stream")
    func taken() async throws {
        try await Self.run { setting in
            for place in 1...2 {
                let answer = try await setting.collector.post(Self.event)
                #expect(answer.status == 200 && answer.text("durability") == "replicated")
                #expect(answer.text("position") == "0.\(place + 1)")
            }
            let ready = try await setting.collector.request("GET", "/readyz")
            #expect(ready.status == 200 && ready.text("durability") == "replicated")
            let records = setting.published.withLock { $0 }
            #expect(records.map(\.subject) == ["intake.0", "intake.0"])
            #expect(records.allSatisfy { $0.body.suffix(Self.event.count) == Self.event[...] })
            let metrics = try await setting.collector.request("GET", "/metrics").body
            #expect(metrics.contains("trackway_index_lag_records"))
            #expect(!metrics.contains("trackway_index_lag_bytes"))
        }
    }

    @Test("without a leader, a batch is held for ten seconds and rejected, and a retry is accepted later")
    func noLeader() async throws {
        try await Self.run { setting in
            setting.mood.withLock { $0 = .hasNoLeader }
            let answer = try await setting.collector.post(Self.event)
            #expect(answer.status == 503 && answer.errorCode == "engine_unavailable")
            #expect(answer.headers["retry-after"] == "5")
            #expect(try await setting.collector.request("GET", "/readyz").errorCode == "engine_unavailable")
            setting.mood.withLock { $0 = .takes }
            #expect(try await setting.collector.post(Self.event).status == 200)
            #expect(try await setting.collector.request("GET", "/readyz").status == 200)
        }
    }

    @Test("a full stream rejects a batch immediately with a Retry-After header")
    func full() async throws {
        try await Self.run { setting in
            setting.mood.withLock { $0 = .isFull }
            let answer = try await setting.collector.post(Self.event)
            #expect(answer.status == 503 && answer.errorCode == "engine_full")
            #expect(answer.headers["retry-after"] == "60")
            let ready = try await setting.collector.request("GET", "/readyz")
            #expect(ready.status == 503 && ready.errorCode == "engine_full")
        }
    }

    @Test("without proof of durability, nothing is published, and errors name the server, the setting and the fix")
    func gateLost() async throws {
        try await Self.run { setting in
            setting.standing.withLock { $0 = .unproven([.lazyDisk(server: "n1", version: "2.15.1")]) }
            for answer in [
                try await setting.collector.post(Self.event), try await setting.collector.request("GET", "/readyz"),
            ] {
                #expect(answer.status == 503 && answer.errorCode == "engine_not_durable")
                #expect(answer.headers["retry-after"] == "30")
                #expect(answer.body.contains("The server n1 does not sync always"))
                #expect(answer.body.contains("sync_interval: always"))
            }
            #expect(setting.published.withLock { $0.isEmpty })
            setting.standing.withLock { $0 = .proven }
            #expect(try await setting.collector.post(Self.event).status == 200)
        }
    }

    @Test("a stream whose sequence goes back is not trusted again, whatever it acknowledges later")
    func wentBack() async throws {
        try await Self.run { setting in
            for _ in 0..<2 { #expect(try await setting.collector.post(Self.event).status == 200) }
            setting.mood.withLock { $0 = .hasLost }
            let answer = try await setting.collector.post(Self.event)
            #expect(answer.status == 503 && answer.body.contains("INTAKE_0 went back from 2 to 1"))
            setting.mood.withLock { $0 = .takes }
            #expect(try await setting.collector.post(Self.event).status == 503)
            #expect(try await setting.collector.request("GET", "/readyz").status == 503)
        }
    }
}
