// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing

@testable import CollectorHTTP

struct ConnectionTableTests {
    @Test
    func `the connection idle longest is closed first, then the slowest request, never one that is being answered`() {
        var table = ConnectionTable(limit: 4)
        for id in 0..<4 as Range<UInt64> { #expect(table.insert(id) == nil) }
        table.move(0, to: .receiving)
        table.move(1, to: .responding)
        table.move(2, to: .receiving)
        table.move(2, to: .responding)
        table.move(2, to: .idle)
        // Connection 3 has been idle since it was opened, connection 2 since its response.
        #expect(table.insert(4) == 3)
        #expect(table.insert(5) == 2)
        #expect(table.insert(6) == 4)
        table.move(5, to: .responding)
        table.move(6, to: .receiving)
        #expect(table.insert(7) == 0)
        table.move(7, to: .receiving)
        #expect(table.insert(8) == 6)
        table.move(8, to: .responding)
        table.move(7, to: .responding)
        #expect(table.insert(9) == 9)
        #expect(table.count == 4)
        table.remove(1)
        #expect(table.insert(10) == nil)
    }

    @Test
    func `events of a closed connection change nothing`() {
        var table = ConnectionTable(limit: 1)
        #expect(table.insert(0) == nil)
        #expect(table.insert(1) == 0)
        table.move(0, to: .responding)
        table.remove(0)
        #expect(table.count == 1)
        #expect(table.insert(2) == 1)
        var minimal = ConnectionTable(limit: -5)
        #expect(minimal.insert(0) == nil && minimal.insert(1) == 0)
    }

    @Test(arguments: [1, 7, 64])
    func `the limit always holds, and connections in use stay open`(limit: Int) {
        var table = ConnectionTable(limit: limit)
        var random = LinearGenerator(state: UInt64(limit))
        var open: [UInt64: ConnectionTable.Phase] = [:]
        for id in 0..<5_000 as Range<UInt64> {
            let evicted = table.insert(id)
            open[id] = .idle
            if let evicted {
                let phase = open.removeValue(forKey: evicted)
                #expect(phase != nil)
                if evicted != id {
                    #expect(phase != .responding)
                    if phase == .receiving { #expect(!open.contains { $0.key != id && $0.value == .idle }) }
                }
            }
            #expect(table.count == open.count && open.count <= limit)
            for key in open.keys.sorted() where random.next() % 4 == 0 {
                let phase = ConnectionTable.Phase.allCases[Int(random.next() % 3)]
                if random.next() % 16 == 0 {
                    table.remove(key)
                    open[key] = nil
                } else {
                    table.move(key, to: phase)
                    open[key] = phase
                }
            }
        }
    }

    @Test
    func `connections that are only held open do not affect other clients`() async throws {
        try await CollectorUnderTest.run {
            $0.connections = 8
        } _: { collector async throws in
            try await withThrowingTaskGroup(of: Void.self) {
                (group: inout ThrowingTaskGroup<Void, any Error>) async throws -> Void in
                for number in 0..<40 {
                    group.addTask {
                        try await Wire.open(to: collector.port) { wire in
                            // Some send nothing, some send the start of a head, and some send the start of a body.
                            if number % 3 == 1 { try await wire.send("GET /liv") }
                            if number % 3 == 2 {
                                try await wire.send("POST /v1/events HTTP/1.1\nHost: localhost\ncontent-length: 9\n\n{")
                            }
                            _ = try await wire.readToEnd()
                        }
                    }
                }
                // Once this many are closed, all of them have connected. The client that reads the count may be among
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
        // Without a response, the count is unknown.
        let answer = try? await collector.request("GET", "/metrics")
        let line = answer?.body.split(separator: "\n").first { $0.hasPrefix("trackway_connections_evicted_total ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    private struct LinearGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
