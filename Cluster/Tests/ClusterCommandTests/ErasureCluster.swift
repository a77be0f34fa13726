// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

/// A cluster with two collectors and a forwarder, and people whose data is erased from it.
///
/// Every third person shares an installation with the next one. All people have anonymous events before they sign in,
/// attributes, and a rejected event.
struct ErasureCluster: Sendable {
    /// The number of accepted events of each person, two of them anonymous.
    static let eventsPerPerson = 12

    let nats: NATSTestCluster
    let clickHouse: ClickHouseServer
    let folder: String
    let collectors: [EngineCollector]
    let forwarder: ForwarderProcess
    /// The options for the servers and the key.
    let options: [String]

    static func user(_ number: Int) -> String { "person-\(number)-q" }

    /// The values that only a person's data contains.
    static func marks(_ number: Int) -> [String] {
        [user(number), "mark-\(number)-q", "city-\(number)-q", "guest-\(number)-q", "refused-\(number)-q"]
    }

    /// Returns the installation of a person, which is the same for a third of the people and their next ones.
    static func installation(_ number: Int) -> InstallationID {
        InstallationID(
            high: 0x018b_cfe5_6800_7000,
            low: 0x8000_0000_0000_0000 + UInt64(number % 3 == 1 ? number - 1 : number)
        )
    }

    /// Whether a person shares the installation with another one.
    static func isShared(_ number: Int) -> Bool { number % 3 != 2 }

    /// Runs a cluster with its tables and key while `body` runs.
    static func run(_ body: @escaping @Sendable (ErasureCluster) async throws -> Void) async throws {
        try await NATSTestCluster.run { nats in
            try await ClickHouseServer.run { clickHouse in
                try await RunningCollector.withFolder { folder in
                    let options =
                        try EngineCollector.options(nats, folder)
                        + ["--clickhouse", clickHouse.url + "/trackway", "--erasure-key", folder + "/erasure-key"]
                    let initialized = try EngineCollector.run(["cluster", "init", "--gigabytes", "1"] + options)
                    #expect(initialized.status == 0, "\(initialized)")
                    let cluster = ErasureCluster(
                        nats: nats,
                        clickHouse: clickHouse,
                        folder: folder,
                        collectors: ["one", "two"].map { name in
                            EngineCollector(
                                name,
                                in: folder,
                                nats,
                                options: Array(options.dropFirst(4)) + ["--no-index"]
                            )
                        },
                        forwarder: ForwarderProcess(options, errors: folder + "/forwarder.errors"),
                        options: options
                    )
                    for collector in cluster.collectors { _ = try await collector.start() }
                    try await cluster.forwarder.start()
                    try await body(cluster)
                    for collector in cluster.collectors { await collector.stop(signal: "KILL") }
                    await cluster.forwarder.stop(signal: "KILL")
                }
            }
        }
    }

    /// Sends a request to a collector, again until it is answered.
    func request(
        _ method: String,
        _ path: String,
        body: [UInt8]? = nil,
        at collector: Int = 0
    ) async throws -> (status: Int, json: JSONValue, text: String) {
        let headers = ["authorization": "Bearer dev"]
        for _ in 0..<600 {
            let port = await collectors[collector].port
            if let answer = try? await Wire.request(method, path, headers, body: body, port: port), answer.status != 503
            {
                return (answer.status, (try? JSONValue.parse(Array(answer.body.utf8))) ?? .null, answer.body)
            }
            try await ContinuousClock().sleep(for: .milliseconds(100))
        }
        throw ErasureClusterError(description: "\(method) \(path) was not answered.")
    }

    /// Sends the events of people, alternately to both collectors.
    func fill(_ people: Range<Int>) async throws {
        for person in people {
            let installation = Self.installation(person)
            let now = 1_700_000_000_000 + Int64(person) * 100_000
            let count = Self.eventsPerPerson
            let first = person % 3 == 1 ? count + 2 : 1
            var lines = [
                #"{"batch":{"installation":"\#(installation)","writer":"\#(installation)","first":\#(first),"last":\#(first + count)}}"#,
                #"{"context":{"session":{"id":"session-\#(person)"},"app":{"id":"app","version":"1.\#(person)"}}}"#,
            ]
            for event in 0..<2 {
                lines.append(
                    #"{"name":"visit","time":\#(now + Int64(event)),"attributes":{"mark":"guest-\#(person)-q"}}"#
                )
            }
            lines.append(
                #"{"context":{"session":{"id":"session-\#(person)"},"user":{"id":"\#(Self.user(person))","attributes":{"city":{"value":"city-\#(person)-q","set":\#(now)}}}}}"#
            )
            for event in 2..<count {
                lines.append(
                    #"{"name":"view","time":\#(now + Int64(event)),"attributes":{"mark":"mark-\#(person)-q"}}"#
                )
            }
            lines.append(#"{"name":"","time":\#(now),"attributes":{"mark":"refused-\#(person)-q"}}"#)
            let answer = try await request(
                "POST",
                "/v1/events",
                body: Array(lines.joined(separator: "\n").utf8),
                at: person % 2
            )
            try #require(answer.status == 200, "\(answer.text.prefix(300))")
        }
    }

    /// Waits until a collector answers queries about everything that was accepted before.
    func waitForTables(at collector: Int = 0, events: Int) async throws {
        for _ in 0..<600 {
            let stats = try await request("GET", "/v1/stats", at: collector)
            if stats.json["events"]?.integer == Int64(events) { return }
            try await ContinuousClock().sleep(for: .milliseconds(100))
        }
        let stats = try await request("GET", "/v1/stats", at: collector)
        throw ErasureClusterError(description: "The tables do not have \(events) events: \(stats.text)")
    }

    /// Requests the erasure of a person, and returns its id.
    func erase(_ person: Int, at collector: Int = 0) async throws -> String {
        let answer = try await request("DELETE", "/v1/users/\(Self.user(person))", at: collector)
        return try #require(answer.json["erasure"]?.string, "\(answer.text)")
    }

    /// Waits until an erasure has a receipt.
    func receipt(_ id: String, at collector: Int = 0) async throws -> [UInt8] {
        for _ in 0..<1_800 {
            let answer = try await request("GET", "/v1/erasures/\(id)", at: collector)
            if answer.status == 200 { return Array(answer.text.utf8) }
            try await ContinuousClock().sleep(for: .milliseconds(100))
        }
        let list = try await request("GET", "/v1/erasures", at: collector)
        throw ErasureClusterError(
            description:
                "\(id) has no receipt: \(list.text) \(try String(contentsOfFile: folder + "/forwarder.errors", encoding: .utf8).suffix(2_000))"
        )
    }

    /// Ends all processes in order, and returns the names of all files that contain a text.
    func files(with texts: [String]) async throws -> [String] {
        for collector in collectors { await collector.stop(signal: "TERM") }
        await forwarder.stop(signal: "TERM")
        // NATS compacts its Raft logs some minutes later.
        for _ in 0..<60 where try !Self.files(in: storeFolders, with: texts).isEmpty {
            try await ContinuousClock().sleep(for: .seconds(5))
        }
        for member in nats.members { await nats.stop(member.name) }
        await clickHouse.kill()
        return try Self.files(in: storeFolders + [folder, clickHouse.path], with: texts)
    }

    /// The folders in which the NATS servers store messages.
    private var storeFolders: [String] { nats.members.map { nats.storeFolder(of: $0.name) } }

    private static func files(in folders: [String], with texts: [String]) throws -> [String] {
        var found: [String] = []
        for root in folders {
            for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
                guard let data = FileManager.default.contents(atPath: root + "/" + name) else { continue }
                for text in texts where data.range(of: Data(text.utf8)) != nil {
                    found.append("\(text) in \(root)/\(name)")
                }
            }
        }
        return found
    }

    /// Kills a part of the cluster, and starts it again.
    func killAndRestart(_ part: Int) async throws {
        switch part {
        case 0, 1:
            await collectors[part].stop(signal: "KILL")
            while true {
                do {
                    _ = try await collectors[part].start()
                    return
                } catch {
                    // The collector ends if NATS is not available in time.
                    await collectors[part].stop(signal: "KILL")
                }
            }
        case 2, 3:
            await forwarder.stop(signal: "KILL")
            try await forwarder.start()
        case 4:
            await clickHouse.kill()
            try await clickHouse.start()
        default:
            let name = nats.members[part % nats.members.count].name
            await nats.kill(name)
            try await nats.start(name)
        }
    }
}

/// The cluster did not do what a test waited for.
struct ErasureClusterError: Error, CustomStringConvertible {
    let description: String
}
