// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("A collector for tests")
struct EphemeralTests {
    @Test
    func `a folder is kept while its owner runs, and an abandoned one is deleted by the next collector`() async throws {
        try await RunningCollector.withFolder { place in
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let living = try EphemeralFolder(in: place)
            var killed: EphemeralFolder? = try EphemeralFolder(in: place)
            let left = try #require(killed?.path)
            try Data("x".utf8).write(to: URL(fileURLWithPath: left + "/file"))
            // A killed process releases its lock and removes nothing.
            killed = nil
            // Killed before it had a lock.
            let unlocked = URL(fileURLWithPath: left).deletingLastPathComponent().path + "/collector-early1"
            try FileManager.default.createDirectory(atPath: unlocked, withIntermediateDirectories: false)
            #expect(FileManager.default.fileExists(atPath: left))
            let next = try EphemeralFolder(in: place)
            #expect(!FileManager.default.fileExists(atPath: left))
            #expect(!FileManager.default.fileExists(atPath: unlocked))
            #expect(FileManager.default.fileExists(atPath: living.path))
            #expect(living.path != next.path)
            let rights = try FileManager.default.attributesOfItem(atPath: next.path)[.posixPermissions] as? Int
            #expect(rights == 0o700)
            next.remove()
            living.remove()
            #expect(!FileManager.default.fileExists(atPath: living.path + "/owner.lock"))
        }
    }

    @Test
    func `collectors that start at the same time have separate folders, and none removes another's`() async throws {
        try await RunningCollector.withFolder { place in
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let folders = try await withThrowingTaskGroup(of: EphemeralFolder.self) { group in
                for _ in 0..<20 { group.addTask { try EphemeralFolder(in: place) } }
                return try await group.reduce(into: [EphemeralFolder]()) { $0.append($1) }
            }
            #expect(Set(folders.map(\.path)).count == 20)
            for folder in folders { #expect(FileManager.default.fileExists(atPath: folder.path + "/owner.lock")) }
        }
    }

    @Test
    func `a folder in a world-writable location is used only if it belongs to this user alone`() async throws {
        try await RunningCollector.withFolder { place in
            let parent = place + "/trackway-ephemeral-\(geteuid())"
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: parent)
            let open = #expect(throws: CommandFailure.self) { try EphemeralFolder(in: place) }
            #expect(open?.status == .cannotCreate && open?.message.contains(parent) == true)
            try FileManager.default.removeItem(atPath: parent)
            try FileManager.default.createSymbolicLink(atPath: parent, withDestinationPath: place)
            #expect(throws: CommandFailure.self) { try EphemeralFolder(in: place) }
            // Another location is used if the first is unsuitable.
            let folder = try EphemeralFolder.make(environment: ["TMPDIR": place + "/nowhere"], memory: "/nowhere")
            #expect(folder.path.hasPrefix("/tmp/"))
            folder.remove()
        }
    }

    @Test
    func `a file contains the address while the collector runs, and an earlier file is removed first`() async throws {
        try await RunningCollector.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = AddressFile(path: folder + "/address")
            try Data("http://127.0.0.1:1\n".utf8).write(to: URL(fileURLWithPath: file.path))
            try file.prepare()
            #expect(!FileManager.default.fileExists(atPath: file.path))
            file.write("http://127.0.0.1:2")
            #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "http://127.0.0.1:2\n")
            file.remove()
            #expect(!FileManager.default.fileExists(atPath: file.path))
            let nowhere = AddressFile(path: folder + "/none/address")
            #expect(throws: CommandFailure.self) { try nowhere.prepare() }
        }
    }

    @Test
    func `programs can read the address from one line`() throws {
        let folder = CollectorFolder(option: "/dev/shm/x", environment: [:])
        let banner = ServeBanner(folder: folder, host: "127.0.0.1", isEphemeral: true, openReadOption: "--ephemeral")
        #expect(
            String(decoding: banner.json(port: 4_242, process: 7).json(), as: UTF8.self)
                == #"{"url":"http://127.0.0.1:4242","port":4242,"pid":7,"durability":"memory","read_key":false,"data":"/dev/shm/x"}"#
        )
        let text = banner.lines(port: 80, style: Style(isColored: false)).joined(separator: "\n")
        #expect(text.contains("no data is left behind") && !text.contains("disk"))
    }

    /// Runs `body` while an ephemeral collector runs.
    private static func withCollector(
        _ body: @Sendable @escaping (CollectorAddress) async throws -> Void
    ) async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder, isEphemeral: true) { address in
                // An ephemeral collector accepts any key.
                try await body(try CollectorAddress(address.root, key: "anything"))
            }
        }
    }

    @Test
    func `each test starts empty, and events sent earlier do not return`() async throws {
        try await Self.withCollector { address in
            let client = CollectorClient(address)
            try await RunningCollector.withFolder { journal in
                for round in 0..<3 {
                    var sender = try Sender(to: address, folder: journal, console: .standard)
                    for number in 0..<20 {
                        _ = sender.record("step", ["number": number, "round": round])
                    }
                    await sender.finish(timeout: .seconds(60))
                    let query: [(name: String, value: String)] = [("name", "step"), ("count", "20"), ("within", "0s")]
                    let answer = try await client.get("/v1/expect", query: query, timeout: 90)
                    #expect(answer["holds"] == .boolean(true), "\(round)")
                    let position = try #require(try await client.send("POST", "/v1/reset")["position"]?.string)
                    let stats = try await client.get("/v1/stats")
                    #expect(stats["events"]?.integer == 0 && stats["installations"]?.integer == 0)
                    #expect(stats["indexed"]?.string == position + ".0" || stats["indexed"]?.string == position)
                    for path in ["/v1/events", "/v1/failed", "/v1/sessions", "/v1/users", "/v1/rate", "/v1/ledger"] {
                        let lists = (try await client.get(path).object?.members ?? []).compactMap(\.value.array)
                        #expect(lists.allSatisfy { $0.isEmpty }, "\(path)")
                    }
                }
            }
        }
    }

    @Test
    func `an expectation and a live stream that are open at a reset continue with later events`() async throws {
        try await Self.withCollector { address in
            let client = CollectorClient(address)
            try await RunningCollector.withFolder { journal in
                @Sendable func send(_ name: String) async throws {
                    var sender = try Sender(to: address, folder: journal, console: .standard)
                    _ = sender.record(name, [:])
                    await sender.finish(timeout: .seconds(60))
                }
                try await send("a")
                // Two events are expected; the one before the reset must not be the first of them.
                async let answer = client.get(
                    "/v1/expect",
                    query: [("name", "a"), ("at_least", "2"), ("within", "5m")],
                    timeout: 330
                )
                let (names, name) = AsyncStream.makeStream(of: String.self)
                async let following: Void = Self.follow(address, until: "last") { name.yield($0) }
                var seen = names.makeAsyncIterator()
                #expect(await seen.next() == "a")
                _ = try await client.send("POST", "/v1/reset")
                try await send("a")
                #expect(await seen.next() == "a")
                let early = try await client.get(
                    "/v1/expect",
                    query: [("name", "a"), ("count", "1"), ("within", "0s")]
                )
                #expect(early["holds"] == .boolean(true))
                try await send("a")
                let found = try await answer
                #expect(found["holds"] == .boolean(true) && found["found"]?.integer == 2)
                try await send("last")
                #expect(await seen.next() == "a")
                #expect(await seen.next() == "last")
                try await following
            }
        }
    }

    /// Forwards the names of a live stream's events.
    ///
    /// Starts with the latest existing event, and ends with `last`.
    private static func follow(
        _ address: CollectorAddress,
        until last: String,
        _ seen: @escaping @Sendable (String) -> Void
    ) async throws {
        var follower = LiveFollower(address: address, query: [("last", "1")], console: .standard)
        try await follower.run { event in
            let name = StoredEventSummary(event)?.name ?? "?"
            seen(name)
            return name != last
        }
    }

    @Test
    func `a batch accepted during resets counts entirely before or after a reset, and is never partially lost`()
        async throws
    {
        try await Self.withCollector { address in
            let client = CollectorClient(address)
            let body = Array((0..<10).map { _ in #"{"name":"a"}"# }.joined(separator: "\n").utf8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<20 {
                            let headers = [(name: "content-type", value: "application/x-ndjson")]
                            let answer = try await client.relay("/v1/events", headers: headers, body: body)
                            #expect(answer.status == 200)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<10 {
                        _ = try await client.send("POST", "/v1/reset", timeout: 60)
                        let events = try await client.get("/v1/stats")["events"]?.integer ?? -1
                        #expect(events.isMultiple(of: 10), "\(events)")
                    }
                }
                try await group.waitForAll()
            }
            _ = try await client.send("POST", "/v1/reset", timeout: 60)
            #expect(try await client.get("/v1/stats")["events"]?.integer == 0)
            let headers = [(name: "content-type", value: "application/x-ndjson")]
            #expect(try await client.relay("/v1/events", headers: headers, body: body).status == 200)
            let query: [(name: String, value: String)] = [("name", "a"), ("count", "10"), ("within", "0s")]
            #expect(try await client.get("/v1/expect", query: query)["holds"] == .boolean(true))
        }
    }
}
