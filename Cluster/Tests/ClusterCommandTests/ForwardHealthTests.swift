// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorTesting
internal import Logging
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("Forwarder health over HTTP")
struct ForwardHealthTests {
    @Test
    func `a forwarder is live immediately, and ready once started unless a problem occurs or it falls behind`() throws {
        let clock = ManualClock()
        let health = ForwardHealth(host: "127.0.0.1", port: 0, clock: clock)
        let early = try #require(health.response(forPath: "/readyz"))
        #expect(early.status == 503 && early.body.contains("forward_behind") && early.body.contains("is starting"))
        #expect(
            health.response(forPath: "/livez")?.status == 200 && health.response(forPath: "/healthz")?.status == 200
        )
        #expect(health.response(forPath: "/") == nil)
        let highest = Locked<UInt64>(4)
        health.setStreamEndSource { highest.withLock { $0 } }
        health.update(ForwardingRunner.Status(written: 4))
        #expect(health.response(forPath: "/readyz")?.status == 200)
        #expect(health.response(forPath: "/readyz")?.body == #"{"status":"ready"}"#)
        health.update(ForwardingRunner.Status(written: 4, isStandingBy: true))
        #expect(health.response(forPath: "/readyz")?.body == #"{"status":"standing_by"}"#)
        health.record(.failed("ClickHouse “a\"b” is down."))
        let unavailable = try #require(health.response(forPath: "/readyz"))
        #expect(unavailable.status == 503 && unavailable.body.contains(#"is down."#))
        health.record(.recovered)
        highest.withLock { $0 = 9 }
        health.refreshStreamEnd()
        clock.advance(by: .seconds(60))
        #expect(health.response(forPath: "/readyz")?.status == 200)
        clock.advance(by: .seconds(1))
        #expect(
            health.response(forPath: "/readyz")?.body
                .contains("lack 5 records of the stream; the oldest has been missing for 61 s") == true
        )
        #expect(health.response(forPath: "/metrics")?.body.contains("\ntrackway_forward_lag_records 5\n") == true)
    }

    @Test
    func `the health server listens on the given port, and ends with a message if the port is in use`() async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let health = ForwardHealth(host: "127.0.0.1", port: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            group.addTask { try await health.run(logger: logger) { port.yield($0) } }
            var iterator = ports.makeAsyncIterator()
            let occupiedPort = try #require(await iterator.next())
            let alive = try await Wire.request("GET", "/livez", port: occupiedPort)
            #expect(alive.status == 200 && alive.body == #"{"status":"alive"}"#)
            #expect(try await Wire.request("GET", "/readyz", port: occupiedPort).status == 503)
            #expect(
                try await Wire.request("GET", "/metrics", port: occupiedPort).body.contains(
                    "trackway_forward_ready 0\n"
                )
            )
            #expect(try await Wire.request("GET", "/v1/events", port: occupiedPort).status == 404)
            let second = ForwardHealth(host: "127.0.0.1", port: occupiedPort)
            let failure = await #expect(throws: CommandFailure.self) {
                try await second.run(logger: logger) { _ in }
            }
            #expect(failure?.status == .cannotCreate && failure?.message.contains("127.0.0.1:\(occupiedPort)") == true)
            group.cancelAll()
        }
    }
}
