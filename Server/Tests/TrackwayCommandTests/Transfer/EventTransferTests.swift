// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Export and import of events")
struct EventTransferTests {
    private static let installation = "018bcfe5-6800-7000-8000-000000000001"

    /// Sends a batch of ten events of an installation, half of them after a sign-in.
    private static func fill(_ address: CollectorAddress, from first: Int = 1) async throws {
        var lines = [
            #"{"batch":{"installation":"\#(installation)","writer":"\#(installation)","first":\#(first),"last":\#(first + 9)}}"#,
            #"{"context":{"app":{"id":"shop","version":"1.2"},"global":{"theme":"=dark"}}}"#,
        ]
        for number in first..<first + 10 {
            if number == first + 5 { lines.append(#"{"context":{"app":{"id":"shop"},"user":{"id":"user-42"}}}"#) }
            lines.append(
                #"{"name":"buy","time":\#(1_795_000_000_000 + number),"mono":\#(number),"attributes":{"total":\#(number).5,"note":"a, \"b\"\n\#(number)","tags":["x"]}}"#
            )
        }
        try await post(lines, address)
    }

    private static func post(_ lines: [String], _ address: CollectorAddress) async throws {
        let client = CollectorClient(address)
        let answer = try await client.relay(
            "/v1/events",
            headers: [("authorization", "Bearer dev")],
            body: Array(lines.joined(separator: "\n").utf8)
        )
        try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        _ = try await client.settledLedger()
    }

    /// Returns all events without what depends on their arrival.
    private static func events(
        _ address: CollectorAddress,
        since: EventPosition = .start,
        query: [(name: String, value: String)] = []
    ) async throws -> (events: [JSONValue], cursor: EventPosition) {
        let client = CollectorClient(address)
        _ = try await client.settledLedger()
        let export = try await EventExport(client, query: query, since: since)
        var found: [JSONValue] = []
        let cursor = try await export.read { found += $0 }
        return (found, cursor)
    }

    /// Returns a value with the members of objects in the order of their names.
    private static func sorted(_ value: JSONValue?) -> [UInt8] {
        guard case .object(let object)? = value else { return value?.json() ?? [] }
        return object.members.sorted { $0.key < $1.key }.flatMap { Array("\($0.key)=".utf8) + sorted($0.value) }
    }

    private static func essence(_ events: [JSONValue]) -> [String] {
        events.map { event in
            let own = ["id", "time", "installation", "user", "context"].map { sorted(event[$0]) }
            let sent = ["name", "attributes", "items"].map { sorted(event["event"]?[$0]) }
            return (own + sent).map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
        }.sorted()
    }

    private static func load(_ path: String, _ address: CollectorAddress, _ format: ImportFile.Format = .ndjson)
        async throws -> EventImport.Counts
    {
        let transfer = EventImport(
            client: CollectorClient(address),
            file: ImportFile(path: path, format: format),
            wait: { _ in }
        )
        _ = try await transfer.check(Timestamp(milliseconds: 1_796_000_000_000)) { _ in }
        return try await transfer.send(from: 1) { _, _ in }
    }

    @Test
    func `an export imported into another collector has the same events, also the second time`() async throws {
        try await RunningCollector.withFolder { folder in
            let (ndjson, csv) = (folder + "/events.ndjson", folder + "/events.csv")
            try await RunningCollector.with(folder: folder + "/first") { address in
                try await Self.fill(address)
                for (path, format) in [(ndjson, "ndjson"), (csv, "csv")] {
                    let command = try EventsExportCommand.parse(
                        ["--url", address.root, "--key", "dev", "--format", format, "--output", path]
                    )
                    try await command.run()
                }
            }
            let rows = try String(contentsOfFile: ndjson, encoding: .utf8).split(separator: "\n")
            #expect(rows.count == 10)
            let original = Self.essence(try rows.map { try JSONValue.parse(Array($0.utf8)) })
            let attributes = try FileManager.default.attributesOfItem(atPath: ndjson)
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            for (path, format) in [
                (ndjson, ImportFile.Format.ndjson), (csv, .csv(mapping: [], name: nil)),
            ] {
                try await RunningCollector.with(folder: folder + "/" + path.suffix(4)) { address in
                    for _ in 1...2 {
                        let counts = try await Self.load(path, address, format)
                        #expect(counts.accepted == 10 && counts.rejected == 0 && counts.ignored.isEmpty)
                        let found = try await Self.events(address).events
                        #expect(Self.essence(found) == original)
                    }
                    // The person of the events is the same, too.
                    let user = try await CollectorClient(address).get("/v1/users/user-42")
                    #expect(user["events"]?.integer == 10, "\(user)")
                }
            }
        }
    }

    @Test
    func `a cursor continues after the last exported event, and conditions limit the events`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                #expect(try await Self.events(address).events.isEmpty)
                try await Self.fill(address)
                let (first, cursor) = try await Self.events(address)
                #expect(first.count == 10)
                #expect(try await Self.events(address, since: cursor).events.isEmpty)
                try await Self.fill(address, from: 11)
                let (second, next) = try await Self.events(address, since: cursor)
                #expect(second.count == 10 && next > cursor)
                #expect(Set(Self.essence(first)).isDisjoint(with: Self.essence(second)))
                let (large, _) = try await Self.events(address, query: [("where", "total>=15")])
                #expect(large.count == 6)
            }
        }
    }

    @Test(arguments: [
        (#"{"name":"a","time":1795000000000}"# + "\n" + #"{"name":"b","ti"#, "line 2: not JSON"),
        (#"{"name":"a","time":1795000000000}"# + "\n[]\n", "line 2: not an object"),
        (#"{"name":"a"}"#, "line 1: the event has no “time”"),
        (#"{"time":1795000000000}"#, "line 1: the event has no text “name”"),
        ("\n\n" + #"{"name":"a","time":1795000000000,"color":1}"#, "line 3: an event has no member “color”"),
        (
            #"{"name":"a","time":1795000000000}"# + "\n" + #"{"name":"b","time":1795000000000,"attributes":[1]}"#,
            "line 2: "
        ),
    ])
    func `a malformed file is an error with the line, and nothing is imported`(text: String, message: String)
        async throws
    {
        try await RunningCollector.withFolder { folder in
            let path = folder + "/events.ndjson"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try await RunningCollector.with(folder: folder + "/collector") { address in
                let error = await #expect(throws: CommandFailure.self) { try await Self.load(path, address) }
                #expect(error?.status == .malformedInput)
                #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
                let imported = try await Self.events(address).events
                #expect(imported.isEmpty)
            }
        }
    }

    @Test
    func `ids of other systems and events without ids are stored once`() async throws {
        try await RunningCollector.withFolder { folder in
            let path = folder + "/events.ndjson"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let lines = [
                #"{"id":"order 17","name":"a","time":1795000000000}"#, #"{"name":"b","time":1795000000001}"#,
                #"{"name":"b","time":1795000000001}"#,
            ]
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
            try await RunningCollector.with(folder: folder + "/collector") { address in
                for _ in 1...2 {
                    _ = try await Self.load(path, address)
                    let found = try await Self.events(address).events
                    #expect(found.count == 3)
                    #expect(found[0]["event"]?["attributes"]?["imported_id"]?.string == "order 17")
                }
            }
        }
    }

    @Test
    func `an unreachable collector is an error with the line at which to continue, and no file is left`() async throws {
        try await RunningCollector.withFolder { folder in
            let path = folder + "/events.ndjson"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(#"{"name":"b","time":1795000000001}"#.utf8).write(to: URL(fileURLWithPath: path))
            let nobody = try CollectorAddress("127.0.0.1:1", key: "dev")
            let error = await #expect(throws: CommandFailure.self) { try await Self.load(path, nobody) }
            #expect(error?.message.contains("the lines before 1 are imported") == true, "\(error?.message ?? "")")
            let command = try EventsExportCommand.parse(["--url", nobody.root, "--output", folder + "/out.ndjson"])
            await #expect(throws: CommandFailure.self) { try await command.run() }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["events.ndjson"])
            let existing = try EventsExportCommand.parse(["--url", nobody.root, "--output", path])
            let refused = await #expect(throws: CommandFailure.self) { try await existing.run() }
            #expect(refused?.status == .cannotCreate)
        }
    }
}
