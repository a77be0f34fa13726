// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// A collector that is killed while it erases users.
@Suite("Kills during user erasure", .serialized)
struct UserErasureKillTests {
    private static let people = 30
    private static let eventsPerPerson = 200
    /// The number of kills: 200 in a full run.
    private static let kills = Settings.isFullRun ? 200 : 12

    private static func user(_ number: Int) -> String { "person-\(number)-q" }

    private static func mark(_ number: Int, _ event: Int) -> String { "mark-\(number)-\(event)-q" }

    /// Stores events of all people; every third person shares the installation with the next person.
    private static func fill(_ collector: Collector) throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        var installation = InstallationID.generate(at: Timestamp(milliseconds: now))
        var sequence = 0
        for person in 0..<people {
            if person % 3 != 1 {
                installation = InstallationID.generate(at: Timestamp(milliseconds: now))
                sequence = 0
            }
            for first in stride(from: 0, to: eventsPerPerson, by: 50) {
                let range = sequence + 1...sequence + 50
                sequence += 50
                var lines = [
                    #"{"batch":{"installation":"\#(installation)","writer":"\#(installation)","first":\#(range.lowerBound),"last":\#(range.upperBound)}}"#,
                    #"{"context":{"user":{"id":"\#(user(person))"}}}"#,
                ]
                for event in first..<first + 50 {
                    let time = now + Int64(person * eventsPerPerson + event)
                    lines.append(
                        #"{"name":"view","time":\#(time),"attributes":{"mark":"\#(mark(person, event))"}}"#
                    )
                }
                let response = try collector.post(Array(lines.joined(separator: "\n").utf8))
                try #require(response.status == 200, "\(response.text.prefix(300))")
            }
        }
    }

    /// Requests an erasure, and returns its id.
    private static func request(_ collector: Collector, _ user: String) throws -> String {
        // The collector answers once its index has caught up.
        _ = try collector.get("/v1/users/\(user)/erasure")
        let response = try collector.send(
            HTTPMessage(
                startLine: "DELETE /v1/users/\(user) HTTP/1.1",
                headers: [("authorization", "Bearer \(Collector.key)")]
            )
        )
        let json = try JSONValue.parse(response.body)
        return try #require(json["erasure"]?.string, "\(response.text.prefix(300))")
    }

    /// Waits until an erasure has a receipt.
    private static func receipt(_ collector: Collector, _ id: String) throws -> [UInt8] {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while true {
            let response = try collector.send(HTTPMessage(startLine: "GET /v1/erasures/\(id) HTTP/1.1"))
            if response.status == 200 { return response.body }
            guard Date() < deadline else { throw TimeoutError("the receipt of \(id): \(response.text.prefix(300))") }
            usleep(20_000)
        }
    }

    private static func files(of collector: Collector, with text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: collector.data).filter { name in
            FileManager.default.contents(atPath: collector.data + "/" + name)?.range(of: Data(text.utf8)) != nil
        }
    }

    /// Returns the exit status of `trackway erasures verify`.
    private static func verify(_ receipt: [UInt8], _ arguments: [String]) throws -> IntegrationTestSupport.ExitStatus? {
        let folder = try TemporaryFolder()
        let path = folder.path("receipt.json")
        try Data(receipt).write(to: URL(fileURLWithPath: path))
        return try Program(CollectorBinary.path(), ["erasures", "verify", path] + arguments).status()
    }

    @Test
    func `killing the collector during erasures leaves no data of erased users and all data of the others`()
        throws
    {
        var random = SeededGenerator(seed: Settings.seed)
        let collector = try Collector()
        try Self.fill(collector)
        var receipts: [(user: String, receipt: [UInt8])] = []
        var erased: Set<Int> = []
        var kills = 0
        while kills < Self.kills, let person = (0..<Self.people).first(where: { !erased.contains($0) && $0 % 2 == 0 }) {
            erased.insert(person)
            let id = try Self.request(collector, Self.user(person))
            for _ in 0..<(Self.kills + Self.people / 2 - 1) / (Self.people / 2) {
                usleep(UInt32.random(in: 0...120_000, using: &random))
                try collector.kill()
                kills += 1
                try collector.start()
            }
            receipts.append((Self.user(person), try Self.receipt(collector, id)))
        }
        for person in 0..<Self.people where erased.contains(person) {
            #expect(try Self.files(of: collector, with: Self.user(person)).isEmpty)
            #expect(try Self.files(of: collector, with: Self.mark(person, 7)).isEmpty)
        }
        let left = (Self.people - erased.count) * Self.eventsPerPerson
        #expect(try collector.get("/v1/stats")["events"]?.integer == Int64(left))
        for person in 0..<Self.people where !erased.contains(person) {
            let found = try collector.get("/v1/users/\(Self.user(person))")
            #expect(found["events"]?.integer == Int64(Self.eventsPerPerson), "\(person): \(found)")
        }
        let summary = try collector.get("/v1/ledger/summary")
        #expect(summary["missing"]?.integer ?? 0 == 0, "\(summary)")
        for (user, receipt) in receipts {
            let json = try JSONValue.parse(receipt)
            #expect(json["log"]?["events"]?.integer == Int64(Self.eventsPerPerson), "\(json)")
            #expect(try Self.verify(receipt, ["--data", collector.data, "--id", user]) == .exited(0))
        }
        let first = try #require(receipts.first)
        #expect(try Self.verify(first.receipt, ["--url", collector.url, "--id", "someone-else"]) == .exited(1))
        let tampered = Array(
            String(decoding: first.receipt, as: UTF8.self).replacing("\"events\":200", with: "\"events\":201").utf8
        )
        #expect(try Self.verify(tampered, ["--url", collector.url]) == .exited(1))
        // Events that arrive later are refused, and none of their data is stored.
        let late = try collector.post(
            Array(
                #"{"context":{"user":{"id":"\#(first.user)"}}}\#n{"name":"late","attributes":{"mark":"late-q"}}"#.utf8
            )
        )
        #expect(late.text.contains("user_erased"), "\(late.text.prefix(300))")
        #expect(try Self.files(of: collector, with: "late-q").isEmpty)
    }
}
