// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Alerts from a real collector to a real receiver")
struct AlertDeliveryTests {
    /// Returns an alert about one event that must not happen.
    private static func alert(_ port: Int, _ condition: JSONValue? = nil) -> JSONValue {
        .members(
            ("title", .string("Crashes")),
            (
                "condition",
                condition
                    ?? .members(
                        ("kind", .string("trends")),
                        ("query", .string("name=crash&last=1h")),
                        ("operator", .string(">")),
                        ("threshold", .integer(0))
                    )
            ),
            ("webhook", .string("http://127.0.0.1:\(port)/hook"))
        )
    }

    private static func send(_ name: String, to address: CollectorAddress, folder: String) async throws {
        var sender = try Sender(to: address, folder: folder, console: .standard)
        _ = sender.record(name, [:])
        await sender.finish(timeout: .seconds(60))
        #expect(sender.tally.delivered == 1)
    }

    private static func check(_ message: WebhookReceiver.Message, _ secret: WebhookSecret) throws -> JSONValue {
        try WebhookSignature.check(
            try #require(message.headers["webhook-signature"]),
            id: try #require(message.headers["webhook-id"]),
            seconds: try #require(message.headers["webhook-timestamp"].flatMap { Int64($0) }),
            body: message.body,
            secret: secret,
            now: SystemClock().now().wall.milliseconds / 1_000
        )
        return try JSONValue.parse(message.body)
    }

    @Test
    func `an event fires its alert, which is sent with a valid signature`() async throws {
        try await WebhookReceiver.run { _ in
            .status(204)
        } _: { receiver in
            try await RunningCollector.withFolder { folder in
                try await RunningCollector.with(folder: folder + "/collector") { address in
                    try await Self.send("crash", to: address, folder: folder + "/journal")
                    let client = CollectorClient(address)
                    let made = try await client.send("POST", "/v1/alerts", body: Self.alert(receiver.port))
                    let secret = try #require(made["secret"]?.string.flatMap { WebhookSecret($0) })
                    let message = try #require(await receiver.messages.first { _ in true })
                    let body = try Self.check(message, secret)
                    #expect(body["type"]?.string == "alert.firing" && body["data"]?["value"]?.double == 1)
                    #expect(
                        body["data"]?["link"]?.string?.hasPrefix(address.root + "/?questions=trends&name=crash") == true
                    )
                    // Only the collector's user may read the alerts' file.
                    let file = try FileManager.default.attributesOfItem(atPath: folder + "/collector/alerts.json")
                    #expect(file[.posixPermissions] as? Int == 0o600)
                    let port = try #require(address.root.split(separator: ":").last.flatMap { Int($0) })
                    let metrics = try await Wire.request("GET", "/metrics", port: port)
                    #expect(metrics.body.contains("\ntrackway_alerts_firing 1\n"))
                }
            }
        }
    }

    @Test
    func `an event that no longer occurs counts zero, and its average is unknown`() async throws {
        try await WebhookReceiver.run { _ in
            .status(200)
        } _: { receiver in
            try await RunningCollector.withFolder { folder in
                try await RunningCollector.with(folder: folder) { address in
                    let client = CollectorClient(address)
                    func condition(_ query: String) -> JSONValue {
                        .members(
                            ("kind", .string("trends")),
                            ("query", .string("name=gone&last=1h" + query)),
                            ("operator", .string("<")),
                            ("threshold", .integer(1))
                        )
                    }
                    let body = Self.alert(receiver.port, condition("&measure=average:total"))
                    let id = try #require(try await client.send("POST", "/v1/alerts", body: body)["id"]?.string)
                    _ = try await client.send("POST", "/v1/alerts", body: Self.alert(receiver.port, condition("")))
                    let message = try #require(await receiver.messages.first { _ in true })
                    #expect(try JSONValue.parse(message.body)["data"]?["value"]?.double == 0)
                    let average = try await client.get("/v1/alerts/\(id)")
                    #expect(average["state"]?.string == "unknown" && average["trouble"]?.string?.isEmpty == false)
                }
            }
        }
    }

    @Test
    func `a trial handles errors, redirects, endless bodies and 410 responses`() async throws {
        try await WebhookReceiver.run { number in
            switch number {
            case 1: .status(500)
            case 2: .status(307, ["location": "http://127.0.0.1:1/"])
            case 3: .flood
            default: .status(410)
            }
        } _: { receiver in
            try await RunningCollector.withFolder { folder in
                try await RunningCollector.with(folder: folder) { address in
                    let client = CollectorClient(address)
                    let calm = JSONValue.members(("kind", .string("missing")), ("threshold", .integer(1_000)))
                    let body = Self.alert(receiver.port, calm)
                    let id = try #require(try await client.send("POST", "/v1/alerts", body: body)["id"]?.string)
                    var answers: [JSONValue] = []
                    for _ in 0..<4 {
                        answers.append(try await client.send("POST", "/v1/alerts/\(id)/test", timeout: 60))
                    }
                    #expect(answers.map { $0["status"]?.integer } == [500, 307, 200, 410])
                    #expect(
                        answers.map { $0["outcome"]?.string } == ["given_up", "given_up", "delivered", "given_up"]
                    )
                }
            }
        }
    }

    @Test
    func `a collector killed before its message was accepted sends it again, with the same id`() async throws {
        // The first attempt, by the collector that is killed, gets no response.
        try await WebhookReceiver.run {
            $0 == 1 ? .hang : .status(200)
        } _: { receiver in
            try await RunningCollector.withFolder { folder in
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                let first = try CollectorProcess(folder: folder)
                defer { first.kill() }
                let address = try await first.address()
                try await Self.send("crash", to: address, folder: folder + "/journal")
                let client = CollectorClient(address)
                let made = try await client.send("POST", "/v1/alerts", body: Self.alert(receiver.port))
                let secret = try #require(made["secret"]?.string.flatMap { WebhookSecret($0) })
                var messages = receiver.messages.makeAsyncIterator()
                let before = try #require(await messages.next())
                #expect(try Self.check(before, secret)["type"]?.string == "alert.firing")
                first.kill()
                let second = try CollectorProcess(folder: folder)
                defer { second.kill() }
                let after = try #require(await messages.next())
                _ = try Self.check(after, secret)
                #expect(after.headers["webhook-id"] == before.headers["webhook-id"] && after.body == before.body)
                // The message is sent once more, and the alert is firing.
                let again = CollectorClient(try await second.address())
                let id = try #require(made["id"]?.string)
                var alert = JSONValue.null
                for _ in 0..<1_000 where alert["last_attempt"]?["outcome"]?.string != "delivered" {
                    alert = try await again.get("/v1/alerts/\(id)")
                }
                #expect(alert["state"]?.string == "firing" && alert["waiting"] == nil)
                #expect(alert["last_attempt"]?["outcome"]?.string == "delivered")
            }
        }
    }

    @Test(
        arguments: [
            (
                ["--trends", "name=purchase&last=1h", "--below", "5"],
                AlertCondition(.trends, query: "name=purchase&last=1h", is: .below, 5)
            ),
            (
                ["--trends", "last=24h", "--below=-50", "--change"],
                AlertCondition(.trends, query: "last=24h", is: .below, -50, of: .change)
            ),
            (
                ["--funnels", "step=a&step=ü&last=1d", "--above", "2.5"],
                AlertCondition(.funnels, query: "step=a&step=%c3%bc&last=1d", is: .above, 2.5)
            ),
            (["--missing", "0"], AlertCondition(.missing)),
            (
                ["--failed", "1", "--within", "2h", "--at-least", "7"],
                AlertCondition(.failed, 1, within: .seconds(7_200), minimumCount: 7)
            ),
            (["--silence", "--within", "15m"], AlertCondition(.silence, is: .atMost, 0, within: .seconds(900))),
            (["--disk-share", "5"], AlertCondition(.disk, is: .below, 5, of: .share)),
            (["--disk-bytes", "5000000000"], AlertCondition(.disk, is: .below, 5e9, of: .bytes)),
            (["--lag", "5m"], AlertCondition(.lag, 300)),
        ] as [([String], AlertCondition)]
    )
    func `the collector reads the alert that the options of 'alerts add' describe`(
        _ options: [String],
        _ condition: AlertCondition
    ) throws {
        let command = try AlertsAddCommand.parse(["A title", "--for", "10m", "--repeat", "4h"] + options)
        let draft = try AlertDraft(command.draft)
        #expect(draft.settings.condition == condition)
        #expect(draft.settings.pendingFor == .seconds(600) && draft.settings.repeatInterval == .seconds(14_400))
    }

    @Test(arguments: [
        (#"{"kind":"disk","of":"share","threshold":10.0}"#, "free space < 10%"),
        (#"{"kind":"disk","of":"bytes","threshold":5000000000.0}"#, "free space < 5,000,000,000 bytes"),
        (#"{"kind":"lag","threshold":300.0}"#, "index lag > 300 s"),
    ])
    func `conditions on the disk and the index are shown with their units`(_ condition: String, _ words: String) throws
    {
        #expect(AlertText.condition(try JSONValue.parse(Array(condition.utf8))) == words)
    }

    @Test(
        arguments: [
            [], ["--trends", "last=1h"], ["--trends", "last=1h", "--above", "1", "--below", "2"],
            ["--missing", "0", "--silence"], ["--missing", "0", "--above", "3"], ["--silence", "--at-least", "4"],
            ["--funnels", "step=a&last=1h", "--below", "3", "--change"], ["--missing", "1", "--within", "1h"],
            ["--disk-share", "5", "--disk-bytes", "5"], ["--lag", "300"], ["--disk-share", "5", "--above", "3"],
        ] as [[String]]
    )
    func `conflicting options of 'alerts add' are rejected`(_ options: [String]) {
        #expect(throws: (any Error).self) { try AlertsAddCommand.parse(["A title"] + options) }
    }
}

/// The built command as a separate process, which can be killed.
private struct CollectorProcess {
    private let process: Process
    private let file: String

    /// Starts a collector on a free port.
    init(folder: String) throws {
        file = folder + "/address"
        try? FileManager.default.removeItem(atPath: file)
        process = Process()
        // The command is in the same folder as the tests that were built with it.
        let products = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let places = [own, products].compactMap { $0?.appending(path: "trackway") }
        process.executableURL = places.first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = [
            "serve", "--data", folder + "/collector", "--port", "0", "--dev-key", "dev", "--address-file", file,
            "--json",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// Returns the collector's address once it is listening.
    func address() async throws -> CollectorAddress {
        while process.isRunning {
            if let text = try? String(contentsOfFile: file, encoding: .utf8), text.hasSuffix("\n") {
                return try CollectorAddress(text.trimmingCharacters(in: .whitespacesAndNewlines), key: "dev")
            }
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
        throw CommandFailure(.unavailable, "the collector ended")
    }

    /// Kills the process immediately, as the system does.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
