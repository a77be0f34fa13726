// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Export of a user")
struct UserExportTests {
    /// Records events of a visitor who signs in as anna; two of the events set the profile.
    private static func fill(_ address: CollectorAddress, folder: String) async throws {
        var configuration = Configuration(
            appID: "export",
            destinations: [.collector(try address.url(""), writeKey: "dev")],
            consent: .granted
        )
        configuration.capture = []
        configuration.storage.folder = URL(fileURLWithPath: folder)
        let analytics = try Analytics(configuration)
        analytics.record("before", ["note": "a, \"b\""])
        analytics.identify("anna")
        analytics.setUserAttributes(["plan": "pro"])
        analytics.record("after")
        let report = await analytics.flush(timeout: .seconds(60))
        #expect(report.isComplete, "\(report)")
        await analytics.shutdown()
    }

    private static func lines(_ folder: String, _ name: String) throws -> [String] {
        let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    @Test
    func `an export contains the profile, the devices, the sessions, and all events as JSON and as CSV`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                try await Self.fill(address, folder: folder + "/app")
                let client = CollectorClient(address)
                _ = try await client.get("/v1/wait", query: [("count", "4"), ("timeout", "60")], timeout: 90)
                let output = folder + "/anna"
                let counts = try await UserExport(client: client, user: "anna").write(to: output)
                #expect(counts.events == 4 && counts.installations == 1)
                let profile = try JSONValue.parse(Array(try Self.lines(output, "profile.json")[0].utf8))
                #expect(profile["id"]?.string == "anna" && profile["attributes"]?["plan"] != nil)
                let events = try Self.lines(output, "events.jsonl").map { try JSONValue.parse(Array($0.utf8)) }
                #expect(
                    events.map { $0["event"]?["name"]?.string } == ["after", "_profile_set", "_profile_set", "before"]
                )
                #expect(events.map { $0["visit"]?.boolean == true } == [false, false, false, true])
                let table = try Self.lines(output, "events.csv")
                #expect(table.count == 5 && table[0] == UserText.eventsHeading)
                #expect(table[4].contains(#""{""note"":""a, \""b\""""}""#), "\(table[4])")
                #expect(try Self.lines(output, "sessions.jsonl").count == counts.sessions)
                #expect(try Self.lines(output, "devices.json").count == 1)
                #expect(try Self.lines(output, "README.txt").first == "Data about anna")
                // The files contain personal data.
                for name in try FileManager.default.contentsOfDirectory(atPath: output) {
                    let attributes = try FileManager.default.attributesOfItem(atPath: output + "/" + name)
                    #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(name)")
                }
            }
        }
    }

    @Test
    func `no folder is created for an unknown user, and an existing folder is never written to`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                let client = CollectorClient(address)
                let output = folder + "/output"
                let unknown = await #expect(throws: CommandFailure.self) {
                    try await UserExport(client: client, user: "unknown").write(to: output)
                }
                #expect(unknown?.message.contains("404") == true)
                #expect(!FileManager.default.fileExists(atPath: output))
                try await Self.fill(address, folder: folder + "/app")
                _ = try await client.get("/v1/wait", query: [("count", "4"), ("timeout", "60")], timeout: 90)
                try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
                let existing = await #expect(throws: CommandFailure.self) {
                    try await UserExport(client: client, user: "anna").write(to: output)
                }
                #expect(existing?.status == .cannotCreate)
                #expect(try FileManager.default.contentsOfDirectory(atPath: output).isEmpty)
            }
        }
    }
}
