// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable internal import TrackwayCommand

@Suite("Devices at a real collector")
struct DeviceHistoryTests {
    /// Sends a reference body, exactly as a client writes it.
    ///
    /// The key has no colon, and the body is compressed if `packed`.
    private static func send(_ body: String, packed: Bool = false, to address: CollectorAddress) async throws
        -> TestHTTPResponse
    {
        var headers = [
            "authorization": "Basic " + Data("dev".utf8).base64EncodedString(), "content-type": "application/json",
        ]
        if packed { headers["content-encoding"] = "gzip" }
        let bytes = packed ? GzipCompressor().compress(Array(body.utf8)) : Array(body.utf8)
        let port = try #require(URL(string: address.root)?.port)
        return try await Wire.request("PUT", SiftSamples.path, headers, body: bytes, port: port)
    }

    private static func history(_ client: CollectorClient, events: Int) async throws -> JSONValue {
        _ = try await client.get("/v1/wait", query: [("count", "\(events)"), ("timeout", "60")], timeout: 90)
        return try await client.get("/v1/devices/\(SiftSamples.installation)")
    }

    @Test
    func `events of Sift clients appear once in a device's history, even after restarts and the loss of the index`()
        async throws
    {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                #expect(try await Self.send(SiftSamples.list, packed: true, to: address).status == 200)
                #expect(try await Self.send(SiftSamples.deviceProperties, to: address).status == 200)
                #expect(try await Self.send(SiftSamples.fullAppState, to: address).status == 200)
                // Sent again, as after a lost response, and with an updated system.
                #expect(try await Self.send(SiftSamples.list, to: address).status == 200)
                let updated = SiftSamples.deviceProperties.replacing("18.1", with: "18.2")
                    .replacing("1750000010000", with: "1750003610000")
                #expect(try await Self.send(updated, to: address).status == 200)
                let client = CollectorClient(address)
                let history = try await Self.history(client, events: 5)
                #expect(history["user"]?.string == "user-42" && history["app"]?.string == "acct_1")
                #expect(history["properties"]?["device_system_version"]?.string == "18.2")
                #expect(history["properties"]?["initial_device_ifv"]?.string == "0B5A6F10-1111-4222-8333-444455556666")
                let steps = try #require(history["history"]?.array)
                #expect(steps.count == 1 && steps[0]["at"]?.integer == 1_750_003_610_000)
                #expect(
                    steps[0]["changes"]?.array?.count == 1 && steps[0]["changes"]?.array?[0]["before"]?.string == "18.1"
                )
                let states = try #require(history["states"]?.array)
                #expect(states.count == 2)
                #expect(
                    states[0]["screen"]?.string == "CartViewController" && states[0]["battery_level"]?.double == 0.83
                )
                #expect(states[0]["battery_state"]?.string == "unplugged")
                #expect(states[0]["network_addresses"]?.array?.count == 2)
                #expect(states[0]["location"]?["longitude"]?.double == -122.4193)
                #expect(states[1]["device_orientation"]?.string == "face_up" && states[1]["heading"]?.double == 271.2)
                #expect(states[1]["readings"]?["motion"]?.integer == 1)
                #expect(try await client.get("/v1/stats")["duplicates"]?.integer == 2)
                let devices = try await client.get("/v1/devices")["devices"]?.array ?? []
                #expect(devices.count == 1 && devices[0]["property_changes"]?.integer == 1)
                #expect(devices[0]["system"]?.string == "iOS 18.2" && devices[0]["states"]?.integer == 2)
            }
            var before: JSONValue?
            for losesIndex in [false, true] {
                if losesIndex {
                    for suffix in ["", "-wal", "-shm"] {
                        let path = folder + "/index.sqlite" + suffix
                        if FileManager.default.fileExists(atPath: path) {
                            try FileManager.default.removeItem(atPath: path)
                        }
                    }
                }
                let known = before
                let found = Locked<JSONValue?>(nil)
                try await RunningCollector.with(folder: folder) { address in
                    let history = try await Self.history(CollectorClient(address), events: 5)
                    found.withLock { $0 = history }
                    if let known { #expect(history == known) }
                }
                before = found.withLock { $0 }
            }
            #expect(before?["states"]?.array?.count == 2)
        }
    }

    @Test
    func `a key created for an account is its beacon key, and gives access to no other account`() async throws {
        try await RunningCollector.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let command = try KeysCreateCommand.parse(["phones", "--sift-account", "acct_1", "--data", folder])
            try await command.run()
            let text = try String(contentsOfFile: folder + "/keys", encoding: .utf8)
            #expect(text.contains(" sift=acct_1\n"))
            // The command shows the key and does not store it, so a line for another, known key is added by hand.
            let key = "tw_w_others"
            let line = "others write 1 \(KeyDigest(of: key).hexadecimal) sift=acct_2\n"
            try (text + line).write(toFile: folder + "/keys", atomically: true, encoding: .utf8)
            try await RunningCollector.with(folder: folder) { address in
                let port = try #require(URL(string: address.root)?.port)
                let headers = ["authorization": "Basic " + Data(key.utf8).base64EncodedString()]
                for (account, status) in [("acct_2", 200), ("acct_1", 403)] {
                    let path = "/v3/accounts/\(account)/mobile_events"
                    let body = Array(SiftSamples.list.utf8)
                    #expect(try await Wire.request("PUT", path, headers, body: body, port: port).status == status)
                }
            }
        }
    }

    @Test(arguments: [["--sift-account", "a/b"], ["--sift-account", ""], ["--sift-account", "a", "--scope", "read"]])
    func `an invalid account and a key without write access are rejected before a key is created`(_ options: [String]) {
        #expect(throws: (any Error).self) { try KeysCreateCommand.parse(["x"] + options) }
    }
}
