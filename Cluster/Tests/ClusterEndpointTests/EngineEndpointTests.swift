// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorJetStream
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorHTTP

@Suite("Uploads to a collector on JetStream", .timeLimit(.minutes(5)))
struct EngineEndpointTests {
    private static let event = Array(#"{"name":"view_item"}"#.utf8)

    /// How the NATS server treats publications.
    private enum ServerBehavior: Sendable {
        case accepts
        case hasNoLeader
        case isFull
        case restartsAtFirst
    }

    /// A collector that publishes its records to a scripted server.
    private struct Environment: Sendable {
        let collector: CollectorUnderTest
        let behavior: Locked<ServerBehavior>
        let status: Locked<DurabilityState.Status>
        let published: Locked<[ScriptedServer.Peer.Publication]>
    }

    private static func run(_ body: @escaping @Sendable (Environment) async throws -> Void) async throws {
        let behavior = Locked(ServerBehavior.accepts)
        let status = Locked(DurabilityState.Status.proven)
        let published = Locked<[ScriptedServer.Peer.Publication]>([])
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.handshake()
            while let publication = try await peer.readPublication() {
                switch behavior.withLock({ $0 }) {
                case .accepts:
                    let sequence = published.withLock { published in
                        published.append(publication)
                        return published.count
                    }
                    try await peer.reply(to: publication, #"{"stream":"INTAKE_0","seq":\#(sequence)}"#)
                case .hasNoLeader:
                    try await peer.replyNoResponders(to: publication)
                case .isFull:
                    let error = #"{"code":503,"err_code":10077,"description":"maximum bytes exceeded"}"#
                    try await peer.reply(to: publication, #"{"error":\#(error),"stream":"INTAKE_0","seq":0}"#)
                case .restartsAtFirst:
                    try await peer.reply(to: publication, #"{"stream":"INTAKE_0","seq":1}"#)
                }
            }
        } _: { server in
            var random = SeededGenerator(seed: 3)
            var times = NATSTimes()
            times.greeting = .seconds(60)
            let (changes, connectionChanges) = AsyncStream.makeStream(of: Void.self)
            let client = NATSClient(
                [server.address],
                times: times,
                randomUInt64: { random.next() },
                sleep: { _ in await Task.yield() },
                onConnectionChange: { connectionChanges.yield() }
            )
            let clock = ManualClock()
            let intake = StreamIntake(
                client,
                status: { status.withLock { $0 } },
                clock: clock,
                randomUInt64: { random.next() },
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
                            Environment(collector: collector, behavior: behavior, status: status, published: published)
                        )
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    @Test
    func `a replicated batch is acknowledged with its position and stored unchanged in the stream`() async throws {
        try await Self.run { environment in
            for number in 1...2 {
                let answer = try await environment.collector.post(Self.event)
                #expect(answer.status == 200 && answer.text("durability") == "replicated")
                #expect(answer.text("position") == "0.\(number + 1)")
            }
            let ready = try await environment.collector.request("GET", "/readyz")
            #expect(ready.status == 200 && ready.text("durability") == "replicated")
            let records = environment.published.withLock { $0 }
            #expect(records.map(\.subject) == ["intake.0", "intake.0"])
            #expect(records.allSatisfy { $0.body.suffix(Self.event.count) == Self.event[...] })
            let metrics = try await environment.collector.request("GET", "/metrics").body
            #expect(metrics.contains("trackway_index_lag_records"))
            #expect(!metrics.contains("trackway_index_lag_bytes"))
        }
    }

    @Test
    func `without a leader, a batch is held for ten seconds and rejected, and a retry is accepted later`() async throws
    {
        try await Self.run { environment in
            environment.behavior.withLock { $0 = .hasNoLeader }
            let answer = try await environment.collector.post(Self.event)
            #expect(answer.status == 503 && answer.errorCode == "engine_unavailable")
            #expect(answer.headers["retry-after"] == "5")
            #expect(try await environment.collector.request("GET", "/readyz").errorCode == "engine_unavailable")
            environment.behavior.withLock { $0 = .accepts }
            #expect(try await environment.collector.post(Self.event).status == 200)
            #expect(try await environment.collector.request("GET", "/readyz").status == 200)
        }
    }

    @Test
    func `a full stream rejects a batch immediately with a Retry-After header`() async throws {
        try await Self.run { environment in
            environment.behavior.withLock { $0 = .isFull }
            let answer = try await environment.collector.post(Self.event)
            #expect(answer.status == 503 && answer.errorCode == "engine_full")
            #expect(answer.headers["retry-after"] == "60")
            let ready = try await environment.collector.request("GET", "/readyz")
            #expect(ready.status == 503 && ready.errorCode == "engine_full")
        }
    }

    @Test
    func `without proof of durability, nothing is published, and errors name the server, the setting and the fix`()
        async throws
    {
        try await Self.run { environment in
            environment.status.withLock { $0 = .unproven([.notSyncing(server: "n1", version: "2.15.1")]) }
            for answer in [
                try await environment.collector.post(Self.event),
                try await environment.collector.request("GET", "/readyz"),
            ] {
                #expect(answer.status == 503 && answer.errorCode == "engine_not_durable")
                #expect(answer.headers["retry-after"] == "30")
                #expect(answer.body.contains("The server n1 does not sync every write"))
                #expect(answer.body.contains("sync_interval: always"))
            }
            #expect(environment.published.withLock { $0.isEmpty })
            environment.status.withLock { $0 = .proven }
            #expect(try await environment.collector.post(Self.event).status == 200)
        }
    }

    @Test
    func `a stream whose sequence moves backward is not trusted again, whatever it acknowledges later`() async throws {
        try await Self.run { environment in
            for _ in 0..<2 { #expect(try await environment.collector.post(Self.event).status == 200) }
            environment.behavior.withLock { $0 = .restartsAtFirst }
            let answer = try await environment.collector.post(Self.event)
            #expect(answer.status == 503 && answer.body.contains("INTAKE_0 moved back from 2 to 1"))
            environment.behavior.withLock { $0 = .accepts }
            #expect(try await environment.collector.post(Self.event).status == 503)
            #expect(try await environment.collector.request("GET", "/readyz").status == 503)
        }
    }
}
