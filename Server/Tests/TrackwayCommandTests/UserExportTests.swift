// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
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

    /// Runs `body` with a collector that has anna's events.
    private static func with(
        _ body: @Sendable @escaping (CollectorAddress, _ folder: String) async throws -> Void
    ) async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                try await Self.fill(address, folder: folder + "/app")
                let client = CollectorClient(address)
                _ = try await client.get("/v1/wait", query: [("count", "4"), ("timeout", "60")], timeout: 90)
                try await body(address, folder)
            }
        }
    }

    private static func rows(_ files: [String: [UInt8]], _ name: String) throws -> [JSONValue] {
        try ZipReader.rows(files[name])
    }

    @Test
    func `an archive contains the profile, the devices, the sessions, and all events as JSON and as CSV`() async throws
    {
        try await Self.with { address, folder in
            let output = folder + "/anna.zip"
            let (counts, bytes) = try await ArchiveDownload(address: address, path: "/v1/users/anna/export")
                .run(to: output)
            #expect(counts.events == 4 && counts.installations == 1 && counts.rejected == 0)
            let archive = Array(try Data(contentsOf: URL(fileURLWithPath: output)))
            #expect(archive.count == bytes)
            let files = try ZipReader.files(in: archive)
            let tables = [
                "attributes", "identifiers", "devices", "sessions", "events", "consent", "rejected", "erasures",
            ]
            let names: Set<String> = Set(tables.map { $0 + ".json" }).union(tables.map { $0 + ".csv" })
            #expect(Set(files.keys) == names.union(["profile.json", "README.txt"]))
            #expect(try JSONValue.parse(files["profile.json"] ?? [])["id"]?.string == "anna")
            #expect(try Self.rows(files, "attributes.json").map { $0["name"]?.string } == ["plan"])
            let events = try Self.rows(files, "events.json")
            #expect(events.map { $0["event"]?["name"]?.string } == ["after", "_profile_set", "_profile_set", "before"])
            #expect(events.map { $0["visit"]?.boolean == true } == [false, false, false, true])
            let table = String(decoding: files["events.csv"] ?? [], as: UTF8.self).split(separator: "\r\n")
            #expect(table.count == 5 && table[0].hasPrefix("time,name,id,visit,user,"))
            #expect(table[4].contains(#""{""note"":""a, \""b\""""}""#), "\(table[4])")
            #expect(try Self.rows(files, "sessions.json").count == counts.sessions)
            let device = try #require(try Self.rows(files, "devices.json").first)
            #expect(device["shared"]?.boolean == false && device["events"]?.integer == 4)
            #expect(try Self.rows(files, "identifiers.json").contains { $0["type"]?.string == "unique_id" })
            #expect(String(decoding: files["README.txt"] ?? [], as: UTF8.self).hasPrefix("Data about the user anna\n"))
            // The file contains personal data.
            let attributes = try FileManager.default.attributesOfItem(atPath: output)
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            #expect(!FileManager.default.fileExists(atPath: output + ".partial"))
        }
    }

    @Test
    func `no file is created for an unknown user, and an existing file is never replaced`() async throws {
        try await Self.with { address, folder in
            let output = folder + "/output.zip"
            let unknown = await #expect(throws: CommandFailure.self) {
                try await ArchiveDownload(address: address, path: "/v1/users/unknown/export").run(to: output)
            }
            #expect(unknown?.message.contains("404") == true)
            #expect(!FileManager.default.fileExists(atPath: output))
            #expect(!FileManager.default.fileExists(atPath: output + ".partial"))
            try Data("mine".utf8).write(to: URL(fileURLWithPath: output))
            let existing = await #expect(throws: CommandFailure.self) {
                try await ArchiveDownload(address: address, path: "/v1/users/anna/export").run(to: output)
            }
            #expect(existing?.status == .cannotCreate)
            #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == Data("mine".utf8))
        }
    }

    @Test
    func `a response that is not a whole archive is an error, and leaves no file`() async throws {
        try await Self.with { address, folder in
            let output = folder + "/output.zip"
            // Another endpoint's complete response, as from a proxy that changes paths.
            let failure = await #expect(throws: CommandFailure.self) {
                try await ArchiveDownload(address: address, path: "/v1/users/anna").run(to: output)
            }
            #expect(failure?.status == .temporary)
            #expect(failure?.message.contains("did not send the whole archive") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!left.contains { $0.hasPrefix("output") })
        }
    }

    @Test
    func `a folder that does not exist is an error`() async throws {
        try await Self.with { address, folder in
            let failure = await #expect(throws: CommandFailure.self) {
                try await ArchiveDownload(address: address, path: "/v1/users/anna/export").run(to: folder + "/x/y.zip")
            }
            #expect(failure?.status == .cannotCreate)
        }
    }
}
