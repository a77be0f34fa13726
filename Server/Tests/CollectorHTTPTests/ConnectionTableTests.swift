// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing

@testable import CollectorHTTP

struct ConnectionTableTests {
    @Test(
        "the connection idle longest is closed first, then the slowest request, never one that is being answered"
    )
    func order() {
        var table = ConnectionTable(limit: 4)
        for id in 0..<4 as Range<UInt64> { #expect(table.opened(id) == nil) }
        table.moved(0, to: .receiving)
        table.moved(1, to: .answering)
        table.moved(2, to: .receiving)
        table.moved(2, to: .answering)
        table.moved(2, to: .resting)
        // Connection 3 has been idle since it was opened, connection 2 since its response.
        #expect(table.opened(4) == 3)
        #expect(table.opened(5) == 2)
        #expect(table.opened(6) == 4)
        table.moved(5, to: .answering)
        table.moved(6, to: .receiving)
        #expect(table.opened(7) == 0)
        table.moved(7, to: .receiving)
        #expect(table.opened(8) == 6)
        table.moved(8, to: .answering)
        table.moved(7, to: .answering)
        #expect(table.opened(9) == 9)
        #expect(table.count == 4)
        table.closed(1)
        #expect(table.opened(10) == nil)
    }

    @Test("events of a closed connection change nothing")
    func gone() {
        var table = ConnectionTable(limit: 1)
        #expect(table.opened(0) == nil)
        #expect(table.opened(1) == 0)
        table.moved(0, to: .answering)
        table.closed(0)
        #expect(table.count == 1)
        #expect(table.opened(2) == 1)
        var least = ConnectionTable(limit: -5)
        #expect(least.opened(0) == nil && least.opened(1) == 0)
    }

    @Test("the limit always holds, and connections in use stay open", arguments: [1, 7, 64])
    func walk(limit: Int) {
        var table = ConnectionTable(limit: limit)
        var random = Chance(state: UInt64(limit))
        var open: [UInt64: ConnectionTable.Phase] = [:]
        for id in 0..<5_000 as Range<UInt64> {
            let evicted = table.opened(id)
            open[id] = .resting
            if let evicted {
                let phase = open.removeValue(forKey: evicted)
                #expect(phase != nil)
                if evicted != id {
                    #expect(phase != .answering)
                    if phase == .receiving { #expect(!open.contains { $0.key != id && $0.value == .resting }) }
                }
            }
            #expect(table.count == open.count && open.count <= limit)
            for key in open.keys.sorted() where random.next() % 4 == 0 {
                let phase = ConnectionTable.Phase.allCases[Int(random.next() % 3)]
                if random.next() % 16 == 0 {
                    table.closed(key)
                    open[key] = nil
                } else {
                    table.moved(key, to: phase)
                    open[key] = phase
                }
            }
        }
    }

    @Test("connections that are only held open do not affect other clients")
    func held() async throws {
        try await CollectorUnderTest.run {
            $0.connections = 8
        } _: { collector async throws in
            try await withThrowingTaskGroup(of: Void.self) {
                (group: inout ThrowingTaskGroup<Void, any Error>) async throws -> Void in
                for number in 0..<40 {
                    group.addTask {
                        try await Wire.open(to: collector.port) { wire in
                            // Some send nothing, some the start of a head, some the start of a body.
                            if number % 3 == 1 { try await wire.send("GET /liv") }
                            if number % 3 == 2 {
                                try await wire.send("POST /v1/events HTTP/1.1\nHost: localhost\ncontent-length: 9\n\n{")
                            }
                            _ = try await wire.readToEnd()
                        }
                    }
                }
                // All of them have connected once this many were closed. The client that reads the count may be among
                // the closed.
                while await Self.evicted(collector) < 32 {}
                for _ in 0..<20 {
                    #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
                }
                group.cancelAll()
                // How each held connection ends does not matter.
                while let result = await group.nextResult() { _ = result }
            }
        }
    }

    private static func evicted(_ collector: CollectorUnderTest) async -> Int {
        // Without a response the count is unknown.
        let answer = try? await collector.request("GET", "/metrics")
        let line = answer?.body.split(separator: "\n").first { $0.hasPrefix("trackway_connections_evicted_total ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    private struct Chance {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
