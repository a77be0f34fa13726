// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Backups of a running collector and their restoration, killed at random moments.
@Suite("Kills during backup and restore", .serialized)
struct BackupKillTests {
    /// The number of kills of each command: 100 in a full run.
    private static let kills = Settings.isFullRun ? 100 : 20

    /// Runs the command to its end.
    ///
    /// - Parameter text: The text that it must print.
    private static func run(
        _ arguments: [String],
        printing text: String? = nil
    ) throws -> (status: IntegrationTestSupport.ExitStatus, lines: [String], tail: String) {
        let program = try Program(CollectorBinary.path(), arguments)
        let lines = try program.allLines()
        if let text { try program.waitForText(text) }
        return (try program.status(), lines, program.tail)
    }

    /// Starts the command, and kills it after a random time.
    ///
    /// - Parameter duration: The duration of a complete run; some runs end before they are killed.
    private static func kill(
        _ arguments: [String],
        within duration: Duration,
        _ random: inout SeededGenerator
    ) throws {
        let program = try Program(CollectorBinary.path(), arguments)
        let microseconds = duration / .microseconds(1)
        usleep(UInt32(min(Double.random(in: 0.05...1.2, using: &random) * microseconds, 20_000_000)))
        program.send(SIGKILL)
        try program.status()
    }

    private static func user(_ number: Int) -> String { "backed-up-person-\(number)-q" }

    /// Stores an event of a user, and requests the user's erasure.
    private static func eraseUser(_ number: Int, _ collector: Collector) throws {
        let body =
            #"{"context":{"user":{"id":"\#(user(number))"}}}\#n{"name":"secret","attributes":{"number":\#(number)}}"#
        let response = try collector.post(Array(body.utf8))
        try #require(response.status == 200, "\(response.text.prefix(300))")
        try collector.waitForIndex()
        let erasure = try collector.send(
            HTTPMessage(
                startLine: "DELETE /v1/users/\(user(number)) HTTP/1.1",
                headers: [("authorization", "Bearer \(Collector.key)")]
            )
        )
        #expect(erasure.status == 202, "\(erasure.text.prefix(300))")
    }

    private static func files(in folder: String, with text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
            FileManager.default.contents(atPath: folder + "/" + name)?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test
    func `killed backups and restores lose no event that was acknowledged before the last backup`() throws {
        var random = SeededGenerator(seed: Settings.seed)
        let folder = try TemporaryFolder()
        let target = folder.path("backup")
        let collector = try Collector()
        let senders = (1...2).map { Sender(collector, number: 700 + $0) }
        for sender in senders { sender.start() }
        let create = ["backup", target, "--data", collector.data]
        try senders[0].waitForResponses(5)
        var began = ContinuousClock.now
        let first = try Self.run(create)
        #expect(first.status == .exited(0), "\(first.tail)")
        var duration = began.duration(to: .now)
        var verified = 0
        for number in 0..<Self.kills {
            if number % 5 == 0 { try Self.eraseUser(number, collector) }
            try Self.kill(create, within: duration, &random)
            let check = try Self.run(["backup", "verify", target])
            #expect(check.status == .exited(0), "\(check.tail)")
            verified += 1
        }
        let acknowledged = senders.flatMap(\.acknowledgedBatches)
        #expect(!acknowledged.isEmpty)
        let last = try Self.run(create + ["--json"])
        try #require(last.status == .exited(0), "\(last.tail)")
        let result = try JSONValue.parse(Array((last.lines.last ?? "").utf8))
        let check = try Self.run(["backup", "verify", target])
        #expect(check.status == .exited(0), "\(check.tail)")
        for sender in senders { try sender.stop() }
        try collector.kill()
        for number in stride(from: 0, to: Self.kills, by: 5) {
            // Text in an unfinished erasure's plan is erased after the restore.
            let found = try Self.files(in: target, with: Self.user(number))
            let plans = try Self.files(in: collector.data, with: Self.user(number))
            #expect(found.isEmpty || !plans.isEmpty, "\(number): \(found)")
        }

        let restored = folder.path("restored")
        let restore = ["backup", "restore", target, "--data", restored]
        var refused = false
        began = .now
        let whole = try Self.run(restore)
        #expect(whole.status == .exited(0), "\(whole.tail)")
        duration = began.duration(to: .now)
        try FileManager.default.removeItem(atPath: restored)
        for _ in 0..<Self.kills {
            try Self.kill(restore, within: duration, &random)
            if FileManager.default.fileExists(atPath: restored + "/restoring.json"), !refused {
                let serve = try Self.run(["serve", "--data", restored, "--port", "0"])
                #expect(serve.status == .exited(73), "\(serve.tail)")
                refused = true
            }
            if FileManager.default.fileExists(atPath: restored + "/restored.json"),
                !FileManager.default.fileExists(atPath: restored + "/restoring.json")
            {
                try FileManager.default.removeItem(atPath: restored)
            }
        }
        let complete = try Self.run(restore)
        try #require(complete.status == .exited(0), "\(complete.tail)")

        let second = try Collector(data: restored)
        try second.waitForIndex()
        let rows = try second.rows("name=sent")
        let ids = Set(rows.map(\.id))
        #expect(ids.count == rows.count, "an event has several rows")
        #expect(acknowledged.joined().count { !ids.contains($0) } == 0)
        let known = senders.flatMap { $0.acknowledgedBatches + $0.unansweredBatches }
        #expect(ids.isSubset(of: Set(known.joined())))
        for batch in known {
            let found = batch.count { ids.contains($0) }
            #expect(found == 0 || found == batch.count, "a batch was restored in part")
        }
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while try second.get("/v1/erasures")["pending"]?.array?.isEmpty == false, Date() < deadline { usleep(20_000) }
        for number in stride(from: 0, to: Self.kills, by: 5) {
            #expect(try Self.files(in: restored, with: Self.user(number)).isEmpty)
        }
        // The restored collector accepts events, and its backup continues in another folder.
        let sender = Sender(second, number: 799)
        #expect(sender.sendBatch())
        let next = try Self.run(["backup", folder.path("next"), "--data", restored])
        #expect(next.status == .exited(0), "\(next.tail)")
        #expect(result["backup"]?["records"]?.integer ?? 0 > 0 && verified > 0, "\(result)")
    }

    @Test
    func `a restore over a running collector is refused, and of two backups at once one succeeds`() throws {
        let folder = try TemporaryFolder()
        let target = folder.path("backup")
        let collector = try Collector()
        let sender = Sender(collector, number: 710)
        #expect(sender.sendBatch())
        let create = ["backup", target, "--data", collector.data]
        let programs = try (1...4).map { _ in try Program(CollectorBinary.path(), create) }
        let outcomes = try programs.map { try $0.status() }
        #expect(outcomes.contains(.exited(0)))
        #expect(outcomes.allSatisfy { $0 == .exited(0) || $0 == .exited(75) }, "\(outcomes)")
        let restore = ["backup", "restore", target, "--data", collector.data]
        let running = try Self.run(restore, printing: "is using")
        #expect(running.status == .exited(75))
        #expect(sender.sendBatch())
        try collector.stop()
        let existing = try Self.run(restore, printing: "is not empty")
        #expect(existing.status == .exited(73))
        try collector.start()
        try AcknowledgedBatches.expect([sender], at: collector)
    }

    @Test(.enabled("mounting a small disk needs root") { SmallDisk.isSupported })
    func `a backup to a full disk fails, keeps the previous backup, and succeeds when there is space`() throws {
        let disk = try SmallDisk(megabytes: 8)
        let target = disk.path + "/backup"
        let collector = try Collector()
        let sender = Sender(collector, number: 720)
        for _ in 0..<20 { #expect(sender.sendBatch()) }
        let create = ["backup", target, "--data", collector.data]
        #expect(try Self.run(create).status == .exited(0))
        for _ in 0..<50 { #expect(sender.sendBatch()) }
        try disk.fill()
        let full = try Self.run(create, printing: "the previous backup is unchanged")
        #expect(full.status == .exited(74))
        #expect(try Self.run(["backup", "verify", target]).status == .exited(0))
        try disk.freeSpace()
        #expect(try Self.run(create).status == .exited(0))
        #expect(try Self.run(["backup", "verify", target]).status == .exited(0))
    }
}
